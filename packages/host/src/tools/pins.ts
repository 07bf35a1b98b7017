/** What an approval is bound to: one hash of everything that a model or a user sees of a tool. */
import type { Tool } from "@plugboard/contracts";
import { canonicalDigest } from "../lib/canonical-digest.ts";

export class Pins {
  readonly #cache = new WeakMap<Tool, string>();

  pinOf(tool: Tool): string {
    let pin = this.#cache.get(tool);
    if (pin === undefined) this.#cache.set(tool, (pin = pinDigest(tool)));
    return pin;
  }
}

/** Pins are stored: what is in here can't change without voiding every approval. */
function pinDigest({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return canonicalDigest({ name, title, description, inputSchema, outputSchema, annotations });
}
