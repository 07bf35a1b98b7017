/** How front ends show the states of servers. */
import type { ServerState, ServerStatus } from "./server-status.ts";

/** A state of a server for people. It also says why the server does not run. */
export type ShownState = ServerState | "invalid" | "untrusted" | "retrying";

/** One row for each state: its name on the page, and whether it is good. Front ends choose a colour for each tone. */
export const SHOWN_STATES: {
  readonly [State in ShownState]: {
    readonly label: string;
    readonly tone: "ok" | "busy" | "warn" | "danger" | "neutral";
  };
} = {
  ready: { label: "ready", tone: "ok" },
  connecting: { label: "connecting", tone: "busy" },
  retrying: { label: "retrying", tone: "warn" },
  auth_required: { label: "login needed", tone: "warn" },
  untrusted: { label: "needs approval", tone: "warn" },
  error: { label: "failed", tone: "danger" },
  invalid: { label: "invalid", tone: "danger" },
  idle: { label: "idle", tone: "neutral" },
  disabled: { label: "disabled", tone: "neutral" },
};

export function shownState(server: ServerStatus): ShownState {
  if (isInvalid(server)) return "invalid";
  if (isUntrusted(server)) return "untrusted";
  if (!server.enabled) return "disabled";
  return server.retryAt === undefined ? server.state : "retrying";
}

/** Returns true for an entry that can't be read. A variable that is not set also gives SERVER_INVALID, but only at the start. */
export function isInvalid({ lastError, enabled }: ServerStatus): boolean {
  return lastError?.code === "SERVER_INVALID" && !enabled;
}

export function isUntrusted({ lastError }: ServerStatus): boolean {
  return lastError?.code === "SERVER_UNTRUSTED";
}
