/**
 * The login on another device (RFC 8628): the user opens a page there and enters
 * a code, while we ask from time to time whether it was done.
 */
import { HostError, sanitiseLine } from "@plugboard/contracts";
import { steadyNow } from "../clock.ts";
import { quote } from "../wire/quote.ts";
import { isSafePage } from "./endpoint.ts";
import { exchangeAs } from "./exchange.ts";
import { jsonOf } from "./json-of.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { resourceParameter, scopeParameter } from "./parameters.ts";
import { pollDevice } from "./poll-device.ts";
import type { Tokens } from "./tokens.ts";

export interface DeviceLogin {
  /** What the user opens. */
  readonly url: string;
  /** The same with the code in it. */
  readonly completeUrl?: string;
  /** What the user enters there. */
  readonly code: string;
  readonly expiresAt: number;
  /** Until it is done, refused, or too late. */
  wait(signal?: AbortSignal): Promise<Tokens>;
}

export interface DeviceRequest {
  readonly scope?: string;
}

const LONGEST_CODE = 40;

export async function beginDevice(
  provider: OAuthProvider,
  client: OAuthClient,
  { scope }: DeviceRequest,
  ctx: OAuthContext,
): Promise<DeviceLogin> {
  if (provider.metadata.device_authorization_endpoint === undefined) {
    const what = `the authorization server ${quote(provider.issuer)} has no login on another device`;
    throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, what });
  }
  const party = { provider, client, ctx };
  const [askedAt, steadyAskedAt] = [ctx.clock.now(), steadyNow(ctx.clock)];
  const given = await exchangeAs(party, "device_authorization_endpoint", async (call) => {
    const { oauth, as, client, auth, options } = call;
    const wanted = { ...scopeParameter(scope), ...resourceParameter(provider) };
    const response = await oauth.deviceAuthorizationRequest(as, client, auth, wanted, options);
    return oauth.processDeviceAuthorizationResponse(as, client, await inForm(response));
  });
  const { verification_uri: url, verification_uri_complete: completeUrl } = given;
  if (!isSafePage(url, provider.resource ?? provider.issuer)) {
    const what = `the user would be sent to ${quote(url)}`;
    throw new HostError("LOGIN_UNSAFE", { server: ctx.server, what });
  }
  const lifeMs = given.expires_in * 1000;
  const intervalMs = (given.interval ?? 5) * 1000;
  const pending = { deviceCode: given.device_code, intervalMs, deadline: steadyAskedAt + lifeMs, scope };
  return {
    url,
    ...(completeUrl !== undefined && isSafePage(completeUrl, url) && { completeUrl }),
    code: sanitiseLine(given.user_code).slice(0, LONGEST_CODE),
    expiresAt: askedAt + lifeMs,
    wait: (signal) => pollDevice(pending, { ...party, ctx: withSignal(ctx, signal) }),
  };
}

function withSignal(ctx: OAuthContext, signal: AbortSignal | undefined): OAuthContext {
  if (!signal) return ctx;
  return { ...ctx, signal: ctx.signal ? AbortSignal.any([ctx.signal, signal]) : signal };
}

const LONGEST_S = 60 * 60;
/** If it does not say how long the code holds. */
const USUAL_S = 10 * 60;

/** With the names and types of the standard, and within reason. */
async function inForm(response: Response): Promise<Response> {
  const { verification_url: url, interval, expires_in: expiresIn, ...answer } = await jsonOf(response);
  const seconds = Number(expiresIn);
  const pause = Number(interval);
  const body = {
    ...(url !== undefined && { verification_uri: url }),
    ...answer,
    expires_in: seconds > 0 ? Math.min(seconds, LONGEST_S) : USUAL_S,
    ...(pause > 0 && { interval: Math.max(1, Math.min(pause, LONGEST_S)) }),
  };
  return Response.json(body, { status: response.status });
}
