/**
 * Computes the pin of a tool: the hash of everything that a model or a user sees of it. An approval is bound to a pin,
 * so it ends when the server changes the tool.
 */
import type { Tool } from "@plugboard/contracts";
import { canonicalDigest } from "@plugboard/store";

const cache = new WeakMap<Tool, string>();

/** Returns the pin of this definition. Computes it once per definition object. */
export function pinOf(tool: Tool): string {
  let pin = cache.get(tool);
  if (pin === undefined) cache.set(tool, (pin = pinDigest(tool)));
  return pin;
}

/** Must not change: pins are stored, and a new digest would void every approval. */
function pinDigest({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return canonicalDigest({ name, title, description, inputSchema, outputSchema, annotations });
}
