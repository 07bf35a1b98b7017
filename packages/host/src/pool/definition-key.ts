/** What makes two definitions the same server: everything that decides what is run or called, what it is lent, and as whom. */
import type { JsonObject } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { canonicalDigest } from "../lib/canonical-digest.ts";

export function definitionKey(target: Target, capabilitiesKey: JsonObject = {}, credentialKey = ""): string {
  return canonicalDigest({ target, lent: capabilitiesKey, access: credentialKey });
}
