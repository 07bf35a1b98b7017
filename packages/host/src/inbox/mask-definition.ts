/**
 * Masks the definition of a project's server for callers who may not approve it. A caller who may approve it sees the
 * whole definition, because they have to know what would run.
 */
import { hasRight, holderOf } from "@plugboard/contracts";
import type { Caller, DefinitionChange, PendingServer, Question, TrustQuestion } from "@plugboard/contracts";
import { describeAccess, maskEntry } from "@plugboard/config";

const MASK = "***";

/** Also masks the hash, because a caller could use it to check guesses of a secret. */
export function pendingFor(pending: PendingServer, caller: Caller): PendingServer {
  return mayTrust(caller) ? pending : { ...maskDefinition(pending), hash: MASK };
}

export function questionFor(question: Question, caller: Caller): Question {
  return question.type !== "trust" || mayTrust(caller) ? question : maskDefinition(question);
}

function mayTrust(caller: Caller): boolean {
  return hasRight(holderOf(caller), "trust");
}

function maskDefinition<T extends PendingServer | TrustQuestion>(pending: T): T {
  const { definition, sandbox, changes } = pending;
  const masked = { definition: maskEntry(definition), ...(sandbox && { sandbox: describeAccess({ sandbox }) }) };
  return { ...pending, ...masked, ...(changes && { changes: changes.map(maskChange) }) };
}

/** Shows where the definition has changed, but not the values. */
function maskChange({ path, before, after }: DefinitionChange): DefinitionChange {
  return { path, ...(before !== undefined && { before: MASK }), ...(after !== undefined && { after: MASK }) };
}
