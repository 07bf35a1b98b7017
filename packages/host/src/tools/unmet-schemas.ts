/**
 * The tools of which a result has not matched the output schema. Official clients reject every result of a tool that has
 * an output schema and returns no matching structured content, so the gateway lists these tools without theirs.
 */
import { compoundKey, Listeners } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import { pinOf } from "./pins.ts";

/** Beyond this, the oldest is dropped: a server can change its tools with every call. */
const MAX_TOOLS = 10_000;

export class UnmetSchemas {
  /** Hashes of the server's definition with pins of its tools, oldest first. */
  readonly #keys = new Set<string>();
  readonly #listeners = new Listeners();

  add(definitionHash: string, tool: Tool): void {
    const key = keyOf(definitionHash, tool);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    if (this.#keys.size > MAX_TOOLS) this.#keys.delete(this.#keys.values().next().value!);
    this.#listeners.emit();
  }

  has(definitionHash: string, tool: Tool): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(definitionHash, tool));
  }

  /** Calls the listener when a tool was added. Returns the function that removes it. */
  onAdded(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

function keyOf(definitionHash: string, tool: Tool): string {
  return compoundKey(definitionHash, pinOf(tool));
}
