/**
 * One response from undici. Delivers its chunks in a microtask, because undici does not allow a new request from within
 * its parser.
 */
import type { Dispatcher } from "undici";
import type { Abortable } from "./request-aborter.ts";

type Controller = Dispatcher.DispatchController;
export type ResponseHeaders = { readonly [name: string]: string | string[] | undefined };

interface Reader {
  readonly onChunk: (chunk: Buffer) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How long to read the rest of an unwanted body. A connection can be reused only after its response has ended. */
export const DISCARD_TIMEOUT_MS = 100;
const MAX_DISCARDED_BYTES = 64 * 1024;

export class HttpResponse implements Dispatcher.DispatchHandler, Abortable {
  /** Resolves when the status and headers have arrived. */
  readonly head: Promise<void>;
  status = 0;
  headers: ResponseHeaders = {};
  /** True if part of the request may have been sent. */
  sent = false;

  readonly #onSent: (() => void) | undefined;
  #resolveHead!: () => void;
  #rejectHead!: (error: unknown) => void;
  #controller: Controller | undefined;
  #chunks: Buffer[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader: Reader | undefined;
  #deliveryScheduled = false;

  constructor(onSent?: () => void) {
    this.#onSent = onSent;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
  }

  /** True if the body is complete or the response has failed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the first value of a header. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    return typeof value === "string" ? value : value?.[0];
  }

  /** The media type without parameters, in lower case. */
  get mediaType(): string {
    return (this.header("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  }

  /** The content encoding, or an empty string. */
  get contentEncoding(): string {
    const encoding = (this.header("content-encoding") ?? "").trim().toLowerCase();
    return encoding === "identity" ? "" : encoding;
  }

  get isEventStream(): boolean {
    return this.status === 200 && this.mediaType === "text/event-stream";
  }

  /** Resolves at the end of the body. Rejects if `onChunk` throws. Call it only once. */
  read(onChunk: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reader = { onChunk, resolve, reject };
      this.#deliver();
    });
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Reads the rest of a short body, so that the connection can be reused. Aborts a longer one. */
  async discard(): Promise<void> {
    if (this.#ended || this.#reader) return;
    const abortTimer = setTimeout(() => this.abort(), DISCARD_TIMEOUT_MS);
    let size = 0;
    try {
      await this.read((chunk) => {
        size += chunk.length;
        if (size > MAX_DISCARDED_BYTES) this.abort();
      });
    } catch {
      // Errors do not matter, because the body is unwanted.
    } finally {
      clearTimeout(abortTimer);
    }
  }

  /** Aborts the response. A pending `read` rejects. */
  abort(): void {
    const reason = new Error("the request was aborted");
    this.#end({ error: reason });
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#failure) return controller.abort(this.#failure.error as Error);
    this.sent = true;
    this.#onSent?.();
  }

  onResponseStart(_controller: Controller, status: number, headers: ResponseHeaders): void {
    if (status < 200 || this.#ended) return;
    this.status = status;
    this.headers = headers;
    this.#resolveHead();
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#scheduleDelivery();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#end({ error });
  }

  #end(failure?: { readonly error: unknown }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    if (failure) this.#rejectHead(failure.error);
    this.#scheduleDelivery();
  }

  #scheduleDelivery(): void {
    if (!this.#reader || this.#deliveryScheduled) return;
    this.#deliveryScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#deliveryScheduled = false;
    const reader = this.#reader;
    if (!reader) return;
    const chunks = this.#chunks;
    this.#chunks = [];
    try {
      for (const chunk of chunks) reader.onChunk(chunk);
    } catch (error) {
      this.#reader = undefined;
      this.abort();
      return reader.reject(error);
    }
    if (!this.#ended) return;
    if (this.#failure) reader.reject(this.#failure.error);
    else reader.resolve();
  }
}
