/** What makes two definitions the same server: everything that decides what is run or called, what it is lent, and as whom. */
import type { JsonObject } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { canonicalDigest } from "../canonical-digest.ts";

export function definitionKey(target: Target, lent: JsonObject = {}, access = ""): string {
  return canonicalDigest({ target, lent, access });
}
