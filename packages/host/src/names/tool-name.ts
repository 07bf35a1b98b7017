/**
 * Creates the tool names that a model sees. This is the only place that creates them. A name depends only on the server,
 * the tool and the format, not on other tools. Two tools get the same name only if their hashes collide or the format
 * omits the server. The name table handles that. No code parses names. Names are case-sensitive.
 */
import { createHash } from "node:crypto";
import { DEFAULT_NAMING, NAME_FORMATTERS } from "./naming.ts";
import type { Naming } from "./naming.ts";

const MAX_LENGTH = 64;

/** Matches the names that every model provider accepts. Names of native tools must match it too. */
export const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export function toolName(server: string, tool: string, naming: Naming = DEFAULT_NAMING): string {
  const { text, ambiguous } = NAME_FORMATTERS[naming](server, tool);
  if (!ambiguous && SAFE_NAME.test(text) && !looksHashed(text)) return text;
  const safeText = text.replace(/[^A-Za-z0-9_-]/g, "_");
  return withHash(/^[A-Za-z_]/.test(safeText) ? safeText : `_${safeText}`, server, tool);
}

function withHash(name: string, server: string, tool: string): string {
  // Hashes JSON, which is unambiguous. A separator could be part of a name.
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${name.slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`;
}

/** Returns true for a name that could equal the hashed name of another tool. */
function looksHashed(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}
