/**
 * The list of tools as a client would get it now, to compare it with that of before. A server that connects lists its tools
 * again, and they are mostly the same as those that were known of it.
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

  /** Returns whether the list differs from that of the last call, or from the first one. */
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
