/** The pins of tools: a hash over all that a server says of one. Each definition is hashed once. */
import type { Tool } from "@plugboard/contracts";
import { canonicalDigest } from "../canonical-digest.ts";

export class Pins {
  readonly #known = new WeakMap<Tool, string>();

  of(tool: Tool): string {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    const pin = canonicalDigest(tool);
    this.#known.set(tool, pin);
    return pin;
  }
}
