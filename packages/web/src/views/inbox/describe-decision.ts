/** Says for whom an answer that allows more than one call is valid, and for how long. Pure. */
import type { Caller, CallerKind, StoredDecision } from "@plugboard/contracts";
import { callerText } from "../../format/caller.ts";

export const ALWAYS_SCOPE = "every caller, until the tool or the definition of its server changes";

const SESSION_ENDS: { readonly [Kind in CallerKind]: string } = {
  page: "until it is closed or reloaded",
  chat: "until it is closed",
  cli: "until the command ends",
  program: "until it disconnects",
  api: "until it disconnects",
  front: "until the host stops",
};

/** Names the caller whose session it is, and the end of the session. */
export function sessionScope(caller: Caller): string {
  return `${callerText(caller)}, ${SESSION_ENDS[caller.kind]}`;
}

export function decisionScope({ scope, caller }: Pick<StoredDecision, "scope" | "caller">): string {
  return scope === "always" || !caller ? "for every caller" : `for ${sessionScope(caller)}`;
}
