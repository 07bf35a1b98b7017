/**
 * The one place where model-visible tool names are made. A name depends on the
 * pair (server, tool) alone, never on order or on who else is connected. Two
 * pairs share one only if their hashes are equal, which a server that chooses
 * its tools' names can bring about; the table that resolves names detects it.
 * Nothing parses names.
 */
import { createHash } from "node:crypto";

const MAX_LENGTH = 64;
const SEPARATOR = "__";

export function toolName(server: string, tool: string): string {
  const plain = `mcp${SEPARATOR}${server}${SEPARATOR}${tool}`;
  const clean = plain.replace(/[^A-Za-z0-9_-]/g, "_");
  const exact = clean === plain && plain.length <= MAX_LENGTH && !looksHashed(plain) && !ambiguous(server, tool);
  return exact ? plain : withHash(clean, server, tool);
}

function withHash(name: string, server: string, tool: string): string {
  // JSON writes no two pairs alike, as a separator would that may be part of a name.
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${name.slice(0, MAX_LENGTH - digest.length - 1)}_${digest}`;
}

/** A plain name of that form could be somebody else's hashed one. */
function looksHashed(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}

/** Whether the joined name could be cut into another pair: `a` + `b__c` or `a__b` + `c`, `a` + `_b` or `a_` + `b`. */
function ambiguous(server: string, tool: string): boolean {
  const joined = server + SEPARATOR + tool;
  const cut = server.length;
  for (let at = joined.indexOf(SEPARATOR, 1); at >= 0; at = joined.indexOf(SEPARATOR, at + 1)) {
    if (at !== cut && at + SEPARATOR.length < joined.length) return true;
  }
  return false;
}
