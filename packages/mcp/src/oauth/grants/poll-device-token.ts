/** Polls for the tokens of a device login, at the interval that the server allows (RFC 8628). */
import { cancelled, HostError, isHostError, steadyNow, abortableDelay } from "@plugboard/contracts";
import { generateDpopKey } from "../tokens/dpop.ts";
import type { OAuthClientContext } from "../client/oauth-request.ts";
import { resourceParameter } from "../metadata/request-parameters.ts";
import { requestTokens } from "./token-request.ts";
import type { OAuthTokens } from "../tokens/oauth-tokens.ts";

export interface PendingDeviceAuthorization {
  readonly deviceCode: string;
  readonly intervalMs: number;
  /** Steady-clock time at which the code expires. */
  readonly deadline: number;
  readonly scope?: string | undefined;
}

export async function pollDeviceToken(
  pending: PendingDeviceAuthorization,
  clientContext: OAuthClientContext,
): Promise<OAuthTokens> {
  const { deviceCode, deadline, scope } = pending;
  const { provider, ctx } = clientContext;
  const { clock, server, signal } = ctx;
  const dpopKey = provider.dpop ? generateDpopKey() : undefined;
  let intervalMs = pending.intervalMs;
  for (;;) {
    await abortableDelay(clock, Math.max(0, Math.min(intervalMs, deadline - steadyNow(clock))), [signal]);
    if (signal?.aborted) throw cancelled();
    if (steadyNow(clock) >= deadline) {
      throw new HostError("LOGIN_FAILED", {
        server,
        reason: "the code was not entered in time",
        error: "expired_token",
      });
    }
    try {
      return await requestTokens({ ...clientContext, scope, dpopKey }, ({ oauth, as, client, auth, options }) =>
        oauth.deviceCodeGrantRequest(as, client, auth, deviceCode, {
          ...options,
          additionalParameters: resourceParameter(provider),
        }),
      );
    } catch (error) {
      const nextMs = nextIntervalMs(error, intervalMs);
      if (nextMs === undefined) throw error;
      intervalMs = nextMs;
    }
  }
}

const SLOW_DOWN_MS = 5_000;

/** Returns the interval after a failed attempt, or undefined if polling must stop. */
function nextIntervalMs(error: unknown, intervalMs: number): number | undefined {
  if (!isHostError(error)) return undefined;
  switch (error.code) {
    case "LOGIN_FAILED":
      if (error.details.error === "slow_down") return intervalMs + SLOW_DOWN_MS;
      // A network failure has a cause, an error response has none.
      if (error.details.error === undefined && error.cause !== undefined) return intervalMs * 2;
      return error.details.error === "authorization_pending" ? intervalMs : undefined;
    // A short network failure must not end the login, because the user may be entering the code.
    case "SERVER_UNREACHABLE":
    case "SERVER_NOT_RESPONDING":
    case "SERVER_OVERLOADED":
    case "CONNECTION_LOST":
    case "REQUEST_TIMEOUT":
      return intervalMs * 2;
    default:
      return undefined;
  }
}
