/** Says for whom an answer that allows more than one call counts, and for how long. Pure. */
import { OWNER, sanitizeLine } from "@plugboard/contracts";
import type { Caller, CallerKind, DecisionGrantee, StoredDecision } from "@plugboard/contracts";
import { callerText } from "../format/caller.ts";

const UNTIL_CHANGED = "until the tool or the definition of its server changes";
const SESSION_ENDS: { readonly [Kind in CallerKind]: string } = {
  page: "until it is closed or reloaded",
  chat: "until it is closed",
  cli: "until the command ends",
  program: "until it disconnects",
  api: "until it disconnects",
  front: "until its session ends, its token is revoked or the host stops",
};

/** Says for whom the answer `always` to a question about a call of this caller counts. */
export function alwaysScope({ principal = OWNER }: Pick<Caller, "principal">): string {
  return `${granteeText(principal)}, ${UNTIL_CHANGED}`;
}

export const EVERYONE_SCOPE = `you and every client, ${UNTIL_CHANGED}`;

/** Names the caller whose session it is, and the end of the session. */
export function sessionScope(caller: Caller): string {
  return `${callerText(caller)}, ${SESSION_ENDS[caller.kind]}`;
}

export function decisionScope({
  scope,
  caller,
  grantee,
}: Pick<StoredDecision, "scope" | "caller" | "grantee">): string {
  return `for ${scope === "session" && caller ? sessionScope(caller) : granteeText(grantee)}`;
}

function granteeText(grantee: DecisionGrantee): string {
  if (grantee === "everyone") return "you and every client";
  if (grantee.id === OWNER.id) return "you, in every chat, command and program, and clients without a token";
  return `the client ${sanitizeLine(grantee.name)}`;
}
