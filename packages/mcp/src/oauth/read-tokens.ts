/** What a token answer means to us. */
import type { JsonObject } from "@plugboard/contracts";
import type { TokenEndpointResponse } from "oauth4webapi";
import type { DpopKey } from "./dpop.ts";
import { union } from "./scope.ts";
import type { Tokens } from "./tokens.ts";
import { whoOf } from "./who.ts";

interface Answer {
  readonly granted: TokenEndpointResponse;
  /** As it came. */
  readonly answer: JsonObject;
  /** By our clock, before the request left: so a token never seems to hold longer than it does. */
  readonly askedAt: number;
  /** What was asked for. */
  readonly scope?: string | undefined;
  readonly dpopKey?: DpopKey | undefined;
}

export function readTokens({ granted, answer, askedAt, scope: asked, dpopKey }: Answer): Tokens {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = granted;
  // It is shown, and asked for again.
  const scope = union(granted.scope) ?? asked;
  const bound = type === "dpop";
  if (bound && !dpopKey) throw new Error("its tokens are bound to a key that was not asked for");
  const expiresAt = expiryOf(answer["expires_in"], askedAt);
  const who = whoOf(answer["id_token"]) ?? whoOf(accessToken);
  return {
    accessToken,
    tokenType: bound ? "DPoP" : "Bearer",
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(who !== undefined && { who }),
    ...(bound && dpopKey && { dpopKey }),
  };
}

/** No server takes a header that is longer. */
const LONGEST_TOKEN = 64 * 1024;

/** Whether they can be sent at all: one that can't would be kept, and fail every request. */
export function areUsable({ accessToken, refreshToken = "" }: Tokens): boolean {
  const isSendable = /^[\x20-\x7e\x80-\xff]*$/.test(accessToken);
  return isSendable && accessToken.length <= LONGEST_TOKEN && refreshToken.length <= LONGEST_TOKEN;
}

/** Longer than anybody means; some say so for "never". */
const LONGEST_S = 100 * 365 * 24 * 60 * 60;

/** Nothing if it holds for no time, which some also mean as "never": then it is renewed when it is refused. */
function expiryOf(expiresIn: unknown, askedAt: number): number | undefined {
  const seconds = typeof expiresIn === "string" && expiresIn.trim() !== "" ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds <= LONGEST_S)) return undefined;
  return Math.floor(askedAt + seconds * 1000);
}
