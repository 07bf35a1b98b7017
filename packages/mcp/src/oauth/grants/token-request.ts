/** Requests tokens, with any grant. Corrects common deviations of servers before the response is validated. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { DPoPRequestOptions } from "oauth4webapi";
import { createDpopHandle } from "../tokens/dpop.ts";
import type { DpopKey } from "../tokens/dpop.ts";
import { sendClientRequest } from "../client/oauth-request.ts";
import type { OAuthClientRequest, OAuthClientContext } from "../client/oauth-request.ts";
import { readJsonObject } from "../net/read-json-object.ts";
import { areSendable, parseTokenResponse } from "./parse-token-response.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

export interface TokenRequestOptions extends OAuthClientContext {
  /** The requested scope. It counts as granted unless the response says otherwise. */
  readonly scope?: string | undefined;
  /** The key that the tokens are bound to. */
  readonly dpopKey?: DpopKey | undefined;
}

/** Calls `send` again if the server asks for a DPoP nonce. */
export function requestTokens(
  options: TokenRequestOptions,
  send: (call: TokenRequest) => Promise<Response>,
): Promise<OAuthTokens> {
  const { dpopKey, scope, ctx } = options;
  const requestedAt = ctx.clock.now();
  return sendClientRequest(options, "token_endpoint", async (call) => {
    const { oauth, as, client } = call;
    const DPoP = dpopKey && (await createDpopHandle(oauth, dpopKey));
    const attempt = async () => {
      const response = await send({ ...call, options: { ...call.options, ...(DPoP && { DPoP }) } });
      const body = await readJsonObject(response);
      const granted = await oauth.processGenericTokenEndpointResponse(
        as,
        client,
        normalizeTokenResponse(body, response.status),
      );
      const tokens = parseTokenResponse({ granted, body, requestedAt, scope, dpopKey });
      if (areSendable(tokens)) return tokens;
      const reason = "its authorization server issued a token that can't be sent";
      throw new HostError("LOGIN_FAILED", { server: ctx.server, reason });
    };
    return attempt().catch((error: unknown) => {
      if (DPoP && oauth.isDPoPNonceError(error)) return attempt();
      throw error;
    });
  });
}

interface TokenRequest extends OAuthClientRequest {
  readonly options: OAuthClientRequest["options"] & DPoPRequestOptions;
}

/**
 * Makes a response that `oauth4webapi` accepts:
 *
 * - Removes the fields that are parsed separately: the lifetime and the ID token.
 * - Removes fields that are null or empty.
 * - Adds the token type `bearer` if it is missing.
 * - Gives every success the status 200, and an error with a success status the status 400.
 */
function normalizeTokenResponse(body: JsonObject, status: number): Response {
  const { id_token: _, expires_in: __, ...rest } = body;
  const present = Object.entries(rest).filter(([, value]) => value !== null && value !== "");
  const refused = typeof body["error"] === "string" && body["access_token"] === undefined;
  const succeeded = status >= 200 && status < 300;
  const effectiveStatus = succeeded ? (refused ? 400 : 200) : status;
  return Response.json({ token_type: "bearer", ...Object.fromEntries(present) }, { status: effectiveStatus });
}
