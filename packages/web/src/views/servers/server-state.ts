/** How the state of a server is shown. Pure. */
import { SHOWN_STATES, shownState } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import type { Tone } from "../../components/layout.tsx";

export function stateBadge(server: ServerStatus): { readonly label: string; readonly tone: Tone } {
  const { label, tone } = SHOWN_STATES[shownState(server)];
  return { label, tone: tone === "busy" ? "warn" : tone };
}

/** Sorts servers that need the owner first. Servers of the same tone are sorted by id. */
export function compareServers(a: ServerStatus, b: ServerStatus): number {
  const rank = (server: ServerStatus) => ["danger", "warn", "ok", "neutral"].indexOf(stateBadge(server).tone);
  return rank(a) - rank(b) || a.id.localeCompare(b.id);
}
