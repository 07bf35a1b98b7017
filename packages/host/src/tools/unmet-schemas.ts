/**
 * Remembers the tools that returned a result which did not match their output schema. Official clients reject such
 * results, so the gateway lists these tools without an output schema.
 */
import { compoundKey, Listeners } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import { pinOf } from "./pins.ts";

/**
 * At the limit, the oldest tool is dropped. A limit is needed, because a server can change its tools with every call.
 */
const MAX_TOOLS = 10_000;

export class UnmetSchemas {
  /** Keys of the tools, oldest first: the hash of the server's definition and the pin of the tool. */
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

  /** Calls the listener when a tool was added. Returns the function that removes the listener. */
  onAdded(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

function keyOf(definitionHash: string, tool: Tool): string {
  return compoundKey(definitionHash, pinOf(tool));
}
