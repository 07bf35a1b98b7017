/** Says for whom a stored decision counts. */
import { OWNER } from "@plugboard/contracts";
import type { DecisionGrantee } from "@plugboard/contracts";

export function renderGrantee(grantee: DecisionGrantee): string {
  if (grantee === "everyone") return "every client";
  return grantee.id === OWNER.id ? "you" : grantee.name;
}
