/** Whether a tool may be taken for one that changes nothing. Its own word counts only if the user trusts its server's. */
import type { ToolAnnotations } from "@plugboard/contracts";

export function isReadOnly(trustAnnotations: boolean, annotations: ToolAnnotations | undefined): boolean {
  return trustAnnotations && annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}
