/**
 * Identifies what a call was permitted for: the tool, its definition, and that of its server. A request that continues the
 * call later, also after a restart, is for the same subject or is refused.
 */
import { canonicalDigest } from "@plugboard/store";
import { pinOf } from "../tools/pins.ts";
import type { Call } from "./call.ts";

export function callSubject({ server, tool, definitionHash, definition }: Call): string {
  return canonicalDigest({ server, tool, definitionHash, pin: definition && pinOf(definition) });
}
