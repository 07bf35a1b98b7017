/**
 * The login on another device (RFC 8628). The user opens a page on that device and enters a code. Meanwhile the host
 * polls for the tokens.
 */
import { HostError, sanitizeLine, steadyNow } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { isSafeBrowserUrl } from "../net/safe-urls.ts";
import { sendClientRequest } from "../client/oauth-request.ts";
import { readJsonObject } from "../net/read-json-object.ts";
import type { OAuthClient } from "../client/oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";
import type { OAuthProvider } from "../metadata/oauth-provider.ts";
import { resourceParameter, scopeParameter } from "../metadata/request-parameters.ts";
import { pollDeviceToken } from "./poll-device-token.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

export interface DeviceAuthorization {
  /** The page that the user opens. */
  readonly url: string;
  /** The same page with the code filled in. */
  readonly completeUrl?: string;
  /** The code that the user enters. */
  readonly code: string;
  readonly expiresAt: number;
  /** Polls until the user has agreed or refused, or the code has expired. */
  waitForTokens(signal?: AbortSignal): Promise<OAuthTokens>;
}

const MAX_CODE_LENGTH = 40;

export async function beginDeviceAuthorization(
  provider: OAuthProvider,
  client: OAuthClient,
  { scope }: { readonly scope?: string },
  ctx: OAuthContext,
): Promise<DeviceAuthorization> {
  if (provider.metadata.device_authorization_endpoint === undefined) {
    const reason = `the authorization server ${describeValue(provider.issuer)} does not support device login`;
    throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, reason });
  }
  const clientContext = { provider, client, ctx };
  const [requestedAt, steadyRequestedAt] = [ctx.clock.now(), steadyNow(ctx.clock)];
  const authorization = await sendClientRequest(clientContext, "device_authorization_endpoint", async (call) => {
    const { oauth, as, client, auth, options } = call;
    const parameters = { ...scopeParameter(scope), ...resourceParameter(provider) };
    const response = await oauth.deviceAuthorizationRequest(as, client, auth, parameters, options);
    return oauth.processDeviceAuthorizationResponse(as, client, await normalizeDeviceResponse(response));
  });
  const { verification_uri: url, verification_uri_complete: completeUrl } = authorization;
  if (!isSafeBrowserUrl(url, provider.resource ?? provider.issuer)) {
    const reason = `it names ${describeValue(url)} as the login page`;
    throw new HostError("LOGIN_UNSAFE", { server: ctx.server, reason });
  }
  const lifetimeMs = authorization.expires_in * 1000;
  const intervalMs = (authorization.interval ?? 5) * 1000;
  const pending = {
    deviceCode: authorization.device_code,
    intervalMs,
    deadline: steadyRequestedAt + lifetimeMs,
    scope,
  };
  return {
    url,
    ...(completeUrl !== undefined && isSafeBrowserUrl(completeUrl, url) && { completeUrl }),
    code: sanitizeLine(authorization.user_code).slice(0, MAX_CODE_LENGTH),
    expiresAt: requestedAt + lifetimeMs,
    waitForTokens: (signal) => pollDeviceToken(pending, { ...clientContext, ctx: withSignal(ctx, signal) }),
  };
}

function withSignal(ctx: OAuthContext, signal: AbortSignal | undefined): OAuthContext {
  if (!signal) return ctx;
  return { ...ctx, signal: ctx.signal ? AbortSignal.any([ctx.signal, signal]) : signal };
}

const MAX_SECONDS = 60 * 60;
/** Used if the server does not say when the code expires. */
const DEFAULT_EXPIRES_S = 10 * 60;

/** Renames non-standard fields and limits the times. */
async function normalizeDeviceResponse(response: Response): Promise<Response> {
  const { verification_url: url, interval, expires_in: expiresIn, ...rest } = await readJsonObject(response);
  const expiresSeconds = Number(expiresIn);
  const intervalSeconds = Number(interval);
  const body = {
    ...(url !== undefined && { verification_uri: url }),
    ...rest,
    expires_in: expiresSeconds > 0 ? Math.min(expiresSeconds, MAX_SECONDS) : DEFAULT_EXPIRES_S,
    ...(intervalSeconds > 0 && { interval: Math.max(1, Math.min(intervalSeconds, MAX_SECONDS)) }),
  };
  return Response.json(body, { status: response.status });
}
