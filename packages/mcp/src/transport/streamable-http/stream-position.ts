/**
 * The position in an SSE stream, across all its connections: the last event id, the retry time and the ids already
 * read. Pure.
 */
import type { SseEvent } from "../http/sse-parser.ts";

/** Older ids are forgotten: a server that repeats events after a reconnect repeats only recent ones. */
const MAX_REMEMBERED_IDS = 100;
const MAX_ID_LENGTH = 1024;
/** Characters that a header can't contain. */
const UNSENDABLE = /[^\t\x20-\xff]/;

export class StreamPosition {
  /** The value for the `Last-Event-ID` header, or undefined if the server sent no usable id. */
  lastEventId: string | undefined;
  /** The reconnect delay that the server asked for. */
  retryMs: number | undefined;

  readonly #ids = new Set<string>();
  #idsBeforeReconnect: ReadonlySet<string> = new Set();

  /** Called before a new connection, so that `advance` skips events that were already read. */
  reconnect(): void {
    this.#idsBeforeReconnect = new Set(this.#ids);
  }

  /** Returns false for an event that an earlier connection already delivered. */
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
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size > MAX_REMEMBERED_IDS) this.#ids.delete(oldest);
  }
}

/** Encodes UTF-8 as one character per byte. Returns undefined for an id that can't be sent in a header. */
function toHeaderValue(id: string): string | undefined {
  const bytes = Buffer.from(id).toString("latin1");
  return id === "" || bytes.length > MAX_ID_LENGTH || UNSENDABLE.test(bytes) ? undefined : bytes;
}
