/** Asks whether the user is done on the other device, as often as the server bears it (RFC 8628). */
import { HostError, isHostError } from "@plugboard/contracts";
import { steadyNow } from "../clock.ts";
import { pause } from "../connection/pause.ts";
import { newDpopKey } from "./dpop.ts";
import type { Party } from "./exchange.ts";
import { resourceParameter } from "./parameters.ts";
import { askForTokens } from "./token-endpoint.ts";
import type { Tokens } from "./tokens.ts";

export interface PendingDevice {
  readonly deviceCode: string;
  readonly intervalMs: number;
  /** Steady-clock time at which the code expires. */
  readonly deadline: number;
  readonly scope?: string | undefined;
}

export async function pollDevice(pending: PendingDevice, party: Party): Promise<Tokens> {
  const { deviceCode, deadline, scope } = pending;
  const { provider, ctx } = party;
  const { clock, server, signal } = ctx;
  const dpopKey = provider.dpop ? newDpopKey() : undefined;
  let intervalMs = pending.intervalMs;
  for (;;) {
    await pause(clock, Math.max(0, Math.min(intervalMs, deadline - steadyNow(clock))), [signal]);
    if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
    if (steadyNow(clock) >= deadline) {
      throw new HostError("LOGIN_FAILED", { server, what: "the code was not entered in time", error: "expired_token" });
    }
    try {
      return await askForTokens({ ...party, scope, dpopKey }, ({ oauth, as, client, auth, options }) =>
        oauth.deviceCodeGrantRequest(as, client, auth, deviceCode, {
          ...options,
          additionalParameters: resourceParameter(provider),
        }),
      );
    } catch (error) {
      const next = nextInterval(error, intervalMs);
      if (next === undefined) throw error;
      intervalMs = next;
    }
  }
}

const SLOWER_MS = 5_000;

/** Returns undefined if polling must stop. */
function nextInterval(error: unknown, intervalMs: number): number | undefined {
  if (!isHostError(error)) return undefined;
  switch (error.code) {
    case "LOGIN_FAILED":
      if (error.details.error === "slow_down") return intervalMs + SLOWER_MS;
      // It has a cause if the network failed, not if the answer is to blame.
      if (error.details.error === undefined && error.cause !== undefined) return intervalMs * 2;
      return error.details.error === "authorization_pending" ? intervalMs : undefined;
    // The user may be at it: a network that is away for a moment must not waste that.
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
