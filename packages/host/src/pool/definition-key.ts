/** What makes two definitions the same server: everything that decides what is run or called. */
import { createHash } from "node:crypto";
import type { Target } from "@plugboard/mcp";

export function definitionKey(target: Target): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(target)))
    .digest("hex");
}

/** The order in which keys were written means nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
}
