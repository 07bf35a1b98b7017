/** The results that were cut for clients of a gateway. Only the client that got the cut result can read the whole one. */
import { accountOf, findOldestOfLargest, isHostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { outputUri, parseOutputUri } from "@plugboard/host/internal";
import type { HostOutputs } from "@plugboard/host/internal";

/** Beyond this, the owner with most outputs loses its oldest one. */
const MAX_OWNERS = 10_000;
const PAGE_LENGTH = 1024 * 1024;

export class StoredOutputs {
  readonly #files: HostOutputs;
  /** The owner of each output, oldest first. */
  readonly #owners = new Map<string, string>();

  constructor(files: HostOutputs) {
    this.#files = files;
  }

  /** Returns the URI of the stored text. Returns undefined instead of failing if the text can't be stored: the call has succeeded. */
  async save(text: string, caller: Caller): Promise<string | undefined> {
    try {
      const id = await this.#files.save(text);
      this.#owners.set(id, accountOf(caller));
      const given =
        this.#owners.size > MAX_OWNERS ? findOldestOfLargest(this.#owners, ([, owner]) => owner) : undefined;
      if (given) this.#owners.delete(given[0]);
      return outputUri(id);
    } catch (thrown) {
      if (isHostError(thrown)) return undefined;
      throw thrown;
    }
  }

  isOutput(uri: string): boolean {
    return parseOutputUri(uri) !== undefined;
  }

  /** Returns the whole text. Returns undefined if there is no such output, or if it belongs to another client. */
  async read(uri: string, caller: Caller): Promise<string | undefined> {
    const id = parseOutputUri(uri);
    if (id === undefined || this.#owners.get(id) !== accountOf(caller)) return undefined;
    const pages: string[] = [];
    try {
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page = await this.#files.read(id, { offset, limit: PAGE_LENGTH });
        pages.push(page.text);
        offset = page.next;
      }
    } catch (thrown) {
      // The store deletes old outputs.
      if (isHostError(thrown) && thrown.code === "NOT_FOUND") return undefined;
      throw thrown;
    }
    return pages.join("");
  }
}
