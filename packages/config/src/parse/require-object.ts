/** Requires that the text of a config file is valid JSON, with an object at its top. */
import type { Node } from "jsonc-parser";
import type { ConfigText } from "./parse-config-text.ts";
import type { Diagnostics } from "./diagnostics.ts";

/** Throws CONFIG_INVALID, with the positions of all syntax errors. */
export function requireObject({ root, empty, syntaxErrors }: ConfigText, diagnostics: Diagnostics): Node {
  const start = { line: 1, column: 1 };
  if (empty) throw diagnostics.configError(start, "the file is empty; it must contain an object");
  for (const { message, ...place } of syntaxErrors) diagnostics.reject(place, `not JSON: ${message}`);
  diagnostics.throwIfRejected();
  if (root?.type !== "object") throw diagnostics.configError(root ?? start, "the file must contain an object");
  return root;
}
