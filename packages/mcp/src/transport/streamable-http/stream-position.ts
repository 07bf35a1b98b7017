/**
 * How far a stream of events has been read, over all the connections it took:
 * where to go on, when, and what has been read already. Pure.
 */
import type { SseEvent } from "../http/sse-parser.ts";

/** A server that begins again too early repeats what was last, not what was long ago. */
const MAX_REMEMBERED_IDS = 100;
const MAX_ID_LENGTH = 1024;
/** What a header can't carry. */
const UNSENDABLE = /[^\t\x20-\xff]/;

export class StreamPosition {
  /** What the server is told to go on after, as a header carries it; nothing if it gave nothing to go by. */
  lastEventId: string | undefined;
  /** How long the server wants to be left alone. */
  retryMs: number | undefined;

  readonly #ids = new Set<string>();
  #idsBeforeReconnect: ReadonlySet<string> = new Set();

  /** The next connection begins: what has been read so far is not to be read again. */
  reconnect(): void {
    this.#idsBeforeReconnect = new Set(this.#ids);
  }

  /** False for an event that an earlier connection brought already. */
  advance({ id, retryMs }: SseEvent): boolean {
    if (retryMs !== undefined) this.retryMs = retryMs;
    if (id === undefined) return true;
    if (this.#idsBeforeReconnect.has(id)) return false;
    this.lastEventId = toHeaderValue(id);
    this.#remember(id);
    return true;
  }

  #remember(id: string): void {
    if (id.length > MAX_ID_LENGTH) return;
    this.#ids.add(id);
    if (this.#ids.size > MAX_REMEMBERED_IDS) for (const oldest of this.#ids) return void this.#ids.delete(oldest);
  }
}

/** Bytes of UTF-8, one for a character. */
function toHeaderValue(id: string): string | undefined {
  const bytes = Buffer.from(id).toString("latin1");
  return id === "" || bytes.length > MAX_ID_LENGTH || UNSENDABLE.test(bytes) ? undefined : bytes;
}
