/** How the state of a server is shown. Pure. */
import type { ServerStatus } from "@plugboard/contracts";
import type { Tone } from "../../components/layout.tsx";

interface ShownState {
  readonly label: string;
  readonly tone: Tone;
}

export function shownState({ state, lastError, retryAt, enabled }: ServerStatus): ShownState {
  if (lastError?.code === "SERVER_UNTRUSTED") return { label: "needs approval", tone: "warn" };
  if (!enabled || state === "disabled") return { label: "disabled", tone: "neutral" };
  switch (state) {
    case "ready":
      return { label: "ready", tone: "ok" };
    case "connecting":
      return { label: retryAt === undefined ? "connecting" : "retrying", tone: "warn" };
    case "auth_required":
      return { label: "login needed", tone: "warn" };
    case "error":
      return { label: "failed", tone: "danger" };
    case "idle":
      return { label: "idle", tone: "neutral" };
  }
}

/** Servers that need the owner come first, then by id. */
export function compareServers(a: ServerStatus, b: ServerStatus): number {
  const rank = (server: ServerStatus) => ["danger", "warn", "ok", "neutral"].indexOf(shownState(server).tone);
  return rank(a) - rank(b) || a.id.localeCompare(b.id);
}
