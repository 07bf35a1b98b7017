/**
 * Stores the whole text of results that were cut for clients of a gateway. Only the client that got the cut result can
 * read it. The text is read in parts, because official clients end the connection if a line of stdio is too long.
 */
import { accountOf, findOldestOfLargest, isHostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import { cutText, outputUri, parseOutputUri } from "@plugboard/host/forwarding";
import type { HostOutputs } from "@plugboard/host/forwarding";

/** Beyond this number, the owner with most outputs loses its oldest one. */
const MAX_OUTPUTS = 10_000;
/** A multiple of 4, so that each part of a base64 text is base64, too. */
const PART_BYTES = 1024 * 1024;

export interface OutputPart {
  readonly uri: string;
  /** In bytes of UTF-8. */
  readonly size: number;
}

interface Output {
  readonly owner: string;
  /** The type of binary data that is stored as base64. Undefined for a text. */
  readonly mediaType: string | undefined;
  /** Where the parts begin, and where the last one ends, in characters. */
  readonly offsets: readonly number[];
}

export class StoredOutputs {
  readonly #files: HostOutputs;
  /** By id, oldest first. */
  readonly #outputs = new Map<string, Output>();

  constructor(files: HostOutputs) {
    this.#files = files;
  }

  /**
   * Stores a text, or base64 with its media type, and returns its parts. Returns undefined if it can't be stored. It
   * does not fail then, because the call has succeeded.
   */
  async save(text: string, caller: Caller, mediaType?: string): Promise<readonly OutputPart[] | undefined> {
    try {
      const id = await this.#files.save(text);
      const { offsets, sizes } = splitText(text);
      this.#outputs.set(id, { owner: accountOf(caller), mediaType, offsets });
      const evicted =
        this.#outputs.size > MAX_OUTPUTS ? findOldestOfLargest(this.#outputs, ([, { owner }]) => owner) : undefined;
      if (evicted) this.#outputs.delete(evicted[0]);
      return sizes.map((size, index) => ({ uri: outputUri({ id, part: index + 1 }), size }));
    } catch (thrown) {
      if (isHostError(thrown)) return undefined;
      throw thrown;
    }
  }

  isOutput(uri: string): boolean {
    return parseOutputUri(uri) !== undefined;
  }

  /**
   * Returns the contents of one part. Returns undefined if there is no such part, or if it belongs to another client.
   */
  async read(uri: string, caller: Caller): Promise<JsonObject | undefined> {
    const key = parseOutputUri(uri);
    const output = key && this.#outputs.get(key.id);
    if (!output || output.owner !== accountOf(caller)) return undefined;
    const { offsets, mediaType } = output;
    const [start, end] = [offsets[key.part - 1], offsets[key.part]];
    if (start === undefined || end === undefined) return undefined;
    const text = await this.#readText(key.id, start, end);
    if (text === undefined) return undefined;
    return mediaType === undefined ? { uri, mimeType: "text/plain", text } : { uri, mimeType: mediaType, blob: text };
  }

  async #readText(id: string, start: number, end: number): Promise<string | undefined> {
    const pages: string[] = [];
    try {
      for (let offset: number | undefined = start; offset !== undefined && offset < end;) {
        const page = await this.#files.read(id, { offset, limit: end - offset });
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

function splitText(text: string): { readonly offsets: number[]; readonly sizes: number[] } {
  const offsets = [0];
  const sizes: number[] = [];
  for (let offset = 0; offset < text.length; offsets.push(offset)) {
    const part = cutText(text.slice(offset), PART_BYTES);
    offset += part.text.length;
    sizes.push(part.bytes);
  }
  return { offsets, sizes };
}
