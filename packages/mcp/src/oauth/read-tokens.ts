/** What a token answer means to us. */
import type { JsonObject } from "@plugboard/contracts";
import type { TokenEndpointResponse } from "oauth4webapi";
import type { Tokens } from "./tokens.ts";
import { whoOf } from "./who.ts";

interface Answer {
  readonly granted: TokenEndpointResponse;
  /** As it came. */
  readonly answer: JsonObject;
  /** By our clock, before the request left: so a token never seems to hold longer than it does. */
  readonly askedAt: number;
  readonly asked?: string | undefined;
}

export function readTokens({ granted, answer, askedAt, asked }: Answer): Tokens {
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken, scope = asked } = granted;
  const expiresAt = expiryOf(answer["expires_in"], askedAt);
  const who = whoOf(answer["id_token"]) ?? whoOf(accessToken);
  return {
    accessToken,
    tokenType: type === "dpop" ? "DPoP" : "Bearer",
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(who !== undefined && { who }),
  };
}

/** Longer than anybody means; some say so for "never". */
const LONGEST_S = 100 * 365 * 24 * 60 * 60;

/** Nothing if it holds for no time, which some also mean as "never": then it is renewed when it is refused. */
function expiryOf(expiresIn: unknown, askedAt: number): number | undefined {
  const seconds = typeof expiresIn === "string" && expiresIn.trim() !== "" ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds <= LONGEST_S)) return undefined;
  return Math.floor(askedAt + seconds * 1000);
}
