/**
 * The one place where model-visible names are made, of tools and of prompts. A
 * name depends on the pair (server, tool) alone, never on order or on who else
 * is connected. Two pairs share one only if their hashes are equal, which a
 * server that chooses its tools' names can bring about, or if the naming leaves
 * the server out; the table that resolves names detects it. Nothing parses
 * names, and nothing folds them: names that differ in case are different.
 */
import { createHash } from "node:crypto";
import { DEFAULT_NAMING, NAME_FORMATTERS } from "./naming.ts";
import type { Naming } from "./naming.ts";

const MAX_LENGTH = 64;

/** What every provider takes: the names of native tools must be so too. */
export const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export function toolName(server: string, tool: string, naming: Naming = DEFAULT_NAMING): string {
  const { text, ambiguous } = NAME_FORMATTERS[naming](server, tool);
  if (!ambiguous && SAFE_NAME.test(text) && !looksHashed(text)) return text;
  const clean = text.replace(/[^A-Za-z0-9_-]/g, "_");
  return withHash(/^[A-Za-z_]/.test(clean) ? clean : `_${clean}`, server, tool);
}

function withHash(name: string, server: string, tool: string): string {
  // JSON writes no two pairs alike, as a separator would that may be part of a name.
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${name.slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`;
}

/** A plain name of that form could be somebody else's hashed one. */
function looksHashed(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}
