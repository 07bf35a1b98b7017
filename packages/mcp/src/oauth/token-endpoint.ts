/**
 * Asks for tokens, by whatever grant. Servers take liberties with their answers:
 * what can be understood is brought into form before it is judged.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { DPoPRequestOptions } from "oauth4webapi";
import { dpopHandle } from "./dpop.ts";
import type { DpopKey } from "./dpop.ts";
import { exchangeAs } from "./exchange.ts";
import type { ClientCall, Party } from "./exchange.ts";
import { jsonOf } from "./json-of.ts";
import { areUsable, readTokens } from "./read-tokens.ts";
import type { Tokens } from "./tokens.ts";

export interface Asking extends Party {
  /** What is asked for: it counts as granted unless the answer says otherwise. */
  readonly scope?: string | undefined;
  /** What the tokens are to be bound to. */
  readonly dpopKey?: DpopKey | undefined;
}

/** `send` may be called once more, since a server may want to see a nonce of its own first. */
export function askForTokens(asking: Asking, send: (call: TokenCall) => Promise<Response>): Promise<Tokens> {
  const { dpopKey, scope, ctx } = asking;
  const askedAt = ctx.clock.now();
  return exchangeAs(asking, "token_endpoint", async (call) => {
    const { oauth, as, client } = call;
    const DPoP = dpopKey && (await dpopHandle(oauth, dpopKey));
    const ask = async () => {
      const response = await send({ ...call, options: { ...call.options, ...(DPoP && { DPoP }) } });
      const answer = await jsonOf(response);
      const granted = await oauth.processGenericTokenEndpointResponse(as, client, inForm(answer, response.status));
      const tokens = readTokens({ granted, answer, askedAt, scope, dpopKey });
      if (areUsable(tokens)) return tokens;
      const what = "its authorization server gave a token that can't be sent";
      throw new HostError("LOGIN_FAILED", { server: ctx.server, what });
    };
    return ask().catch((error: unknown) => {
      if (DPoP && oauth.isDPoPNonceError(error)) return ask();
      throw error;
    });
  });
}

interface TokenCall extends ClientCall {
  readonly options: ClientCall["options"] & DPoPRequestOptions;
}

/**
 * Without what is read apart: how long it holds, of which servers say the strangest things, and who logged in,
 * which is not relied on. A refusal with the status of a success is a refusal.
 */
function inForm(answer: JsonObject, status: number): Response {
  const { id_token: _, expires_in: __, ...rest } = answer;
  const said = Object.entries(rest).filter(([, value]) => value !== null && value !== "");
  const refused = typeof answer["error"] === "string" && answer["access_token"] === undefined;
  const succeeded = status >= 200 && status < 300;
  const meant = succeeded ? (refused ? 400 : 200) : status;
  return Response.json({ token_type: "bearer", ...Object.fromEntries(said) }, { status: meant });
}
