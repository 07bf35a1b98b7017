/**
 * Creates the tool names that a model sees. Only this file creates them, and no code parses them. A name depends only
 * on the server, the tool and the format, not on other tools. Two tools get the same name only if their hashes collide
 * or the format omits the server. The name table handles that. Names are case-sensitive.
 */
import { createHash } from "node:crypto";
import { MAX_NAME_LENGTH, NAME_FORMATTERS } from "./naming.ts";
import { DEFAULT_NAMING } from "@plugboard/contracts";
import type { Naming } from "@plugboard/contracts";

/** Matches the names that every model provider accepts. Names of native tools must match it too. */
export const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export function toolName(
  server: string,
  tool: string,
  naming: Naming = DEFAULT_NAMING,
  maxLength = MAX_NAME_LENGTH,
): string {
  const { text, ambiguous } = NAME_FORMATTERS[naming](server, tool);
  if (!ambiguous && text.length <= maxLength && SAFE_NAME.test(text) && !looksHashed(text)) return text;
  const safeText = text.replace(/[^A-Za-z0-9_-]/g, "_");
  const hash = hashOf(server, tool);
  const start = /^[A-Za-z_]/.test(safeText) ? safeText : `_${safeText}`;
  return `${start.slice(0, maxLength - hash.length - 1)}_${hash}`;
}

function hashOf(server: string, tool: string): string {
  // Hashes JSON, which is unambiguous. A separator could be part of a name.
  return createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
}

/** Returns true for a name that could equal the hashed name of another tool. */
function looksHashed(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}
