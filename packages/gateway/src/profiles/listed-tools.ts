/**
 * Compares the list of tools that a client would get now with the previous one. A server lists its tools again whenever
 * it connects, and mostly nothing has changed.
 */
import { isDeepStrictEqual } from "node:util";
import type { Tool } from "@plugboard/contracts";

export interface ListedFrontTool {
  readonly name: string;
  readonly definition: Tool;
  readonly hasOutputSchema: boolean;
}

export class ListedTools {
  readonly #read: () => readonly ListedFrontTool[];
  #last: readonly ListedFrontTool[];

  constructor(read: () => readonly ListedFrontTool[]) {
    this.#read = read;
    this.#last = read();
  }

  /** Returns whether the list has changed since the last call of this method, or since the construction. */
  hasChanged(): boolean {
    const before = this.#last;
    this.#last = this.#read();
    return this.#last.length !== before.length || this.#last.some((tool, index) => !isSame(tool, before[index]!));
  }
}

function isSame(a: ListedFrontTool, b: ListedFrontTool): boolean {
  return (
    a.name === b.name &&
    a.hasOutputSchema === b.hasOutputSchema &&
    (a.definition === b.definition || isDeepStrictEqual(a.definition, b.definition))
  );
}
