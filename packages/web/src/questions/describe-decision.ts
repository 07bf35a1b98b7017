/** Some answers allow more than one call. Says for whom such an answer counts, and for how long. Pure. */
import { OWNER, sanitizeLine } from "@plugboard/contracts";
import type { AnswerGrant, Caller, CallerKind, DecisionGrantee, StoredDecision } from "@plugboard/contracts";
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

/** Says for whom and for how long an answer to a question about a call of this caller counts. */
export function grantScope(grant: AnswerGrant, caller: Caller | undefined): string {
  return GRANT_SCOPES[grant.lasts](grant, caller);
}

const GRANT_SCOPES: {
  readonly [Lasts in AnswerGrant["lasts"]]: (grant: AnswerGrant, caller: Caller | undefined) => string;
} = {
  session: (_, caller) => (caller ? sessionScope(caller) : "the caller, until its session ends"),
  always: ({ to, covers }, caller) => {
    const grantee = granteeText(to ?? caller?.principal ?? OWNER);
    const tools = covers === "server" ? ", every tool that it has now" : "";
    return `${grantee}${tools}, ${UNTIL_CHANGED}`;
  },
};

/** Names the caller whose session it is, and the end of the session. */
function sessionScope(caller: Caller): string {
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
