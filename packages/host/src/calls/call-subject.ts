/**
 * The subject of a call identifies what was permitted: the tool, its definition, and the definition of its server. A
 * later request that continues the call, even after a restart, is refused unless it has the same subject.
 */
import { canonicalDigest } from "@plugboard/store";
import { pinOf } from "../tools/pins.ts";
import type { Call } from "./call.ts";

export function callSubject({ server, tool, definitionHash, definition }: Call): string {
  return canonicalDigest({ server, tool, definitionHash, pin: definition && pinOf(definition) });
}
