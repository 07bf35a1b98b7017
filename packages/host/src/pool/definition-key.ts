/** What makes two definitions the same server: everything that decides what is run or called. */
import type { Target } from "@plugboard/mcp";
import { canonicalDigest } from "../canonical-digest.ts";

export function definitionKey(target: Target): string {
  return canonicalDigest(target);
}
