/** Parses YAML that may come from anybody, within limits. The parser is loaded on first use. */
import type { Json } from "@plugboard/contracts";
import { MAX_DEPTH, toJson, TooDeep } from "./to-json.ts";

/** The parser is too slow for longer texts. */
export const MAX_YAML_CHARS = 128 * 1024;
/** Aliases inside aliases count, too. */
const MAX_ALIASES = 100;

/** The text must not be longer than `MAX_YAML_CHARS`. Throws the error of the parser, or `TooDeep`. */
export async function parseYaml(text: string): Promise<Json> {
  if (isTooDeep(text)) throw new TooDeep();
  const { parseDocument } = await import("yaml");
  // Comparing every key with all others takes quadratic time, so duplicate keys are not detected. The last one applies.
  const document = parseDocument(text, { uniqueKeys: false, logLevel: "error" });
  const [firstError] = document.errors;
  if (firstError) throw firstError;
  return toJson(document.toJS({ maxAliasCount: MAX_ALIASES }));
}

/**
 * Detects nesting, and runs of anchors or tags, that make the parser slow or overflow its stack. Brackets inside
 * strings count, too, so the limit is ten times `MAX_DEPTH`.
 */
function isTooDeep(text: string): boolean {
  if (/(?:[-?] ){100}|(?:[&!][^\s,[\]{}]{0,100}\s+){20}/.test(text)) return true;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[{\]}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > 10 * MAX_DEPTH) return true;
  }
  return false;
}
