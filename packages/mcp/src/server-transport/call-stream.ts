/**
 * The response to one request of a legacy client: one JSON body, or an SSE stream if other messages come first or the
 * request takes long. The events of a stream have ids. A client that has lost its connection resumes the stream with
 * the id of the last event that it got.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@plugboard/contracts";
import type { Message } from "../wire/message.ts";
import type { OnDisconnect, ResponseStream } from "../wire/response-stream.ts";
import { onClientDisconnect } from "./client-disconnect.ts";
import { HttpReply } from "./http-reply.ts";

export interface CallStreamOptions {
  /** The prefix of the ids of all events of this stream. Unique in the session. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** How long a lost stream can be resumed. */
  readonly resumeWindowMs: number;
  /** True if the stream starts with an event without data, which older clients can't parse. */
  readonly primed: boolean;
  /** Called when the stream can no longer be resumed. */
  readonly onClosed: () => void;
}

interface SentEvent {
  readonly number: number;
  readonly message: Message;
  readonly revision: string;
  readonly requestMethod: string | undefined;
  /** The message as JSON. */
  readonly data: string;
}

/** How long a request may take before its response becomes a stream. */
const STREAM_AFTER_MS = 100;
/** How long a client should wait before it resumes a stream. */
const RETRY_MS = 1000;
/** Limits the events that are stored for a client that resumes the stream. The last event is always stored. */
const MAX_STORED_CHARACTERS = 1024 * 1024;

export class CallStream implements ResponseStream {
  readonly #options: CallStreamOptions;
  #notifyLost = () => {};
  /** The current connection of the client, if it has one. */
  #reply: HttpReply | undefined;
  #stopTimer = () => {};
  #events: SentEvent[] = [];
  #storedCharacters = 0;
  #lastNumber = 0;
  #isStream = false;
  #isComplete = false;
  #isClosed = false;

  constructor(options: CallStreamOptions) {
    const { request, response, clock, primed } = options;
    this.#options = options;
    if (primed) this.#stopTimer = clock.after(STREAM_AFTER_MS, () => this.#startStream(), { background: true });
    this.#attach(request, response);
  }

  /** Calls the listener when the client has not resumed a lost stream in time. */
  readonly onLost: OnDisconnect = (listener) => {
    if (this.#isClosed) listener();
    else this.#notifyLost = listener;
  };

  send(message: Message, revision: string, requestMethod?: string): void {
    const isResponse = requestMethod !== undefined;
    if (isResponse) this.#isComplete = true;
    if (isResponse && !this.#isStream && this.#reply) {
      this.#stopTimer();
      this.#reply.send(message, revision, requestMethod);
      return;
    }
    this.#startStream();
    this.#write(this.#store(message, revision, requestMethod));
  }

  end(): void {
    this.#isComplete = true;
    this.#stopTimer();
    this.#reply?.end();
    if (!this.#reply) this.#close();
  }

  /** Continues on another connection. Sends the events after the given one first. */
  resume(request: IncomingMessage, response: ServerResponse, lastNumber: number): void {
    const previous = this.#reply;
    this.#reply = undefined;
    previous?.end();
    this.#stopTimer();
    this.#attach(request, response)?.startStream();
    for (const event of this.#events) if (event.number > lastNumber) this.#write(event);
  }

  #attach(request: IncomingMessage, response: ServerResponse): HttpReply | undefined {
    const reply = new HttpReply(response);
    this.#reply = reply;
    const onLost = () => {
      if (this.#reply === reply) this.#awaitResume();
    };
    const onComplete = () => {
      if (this.#reply === reply && this.#isComplete) this.#close();
    };
    onClientDisconnect(request, response, onLost, onComplete);
    return this.#reply;
  }

  #awaitResume(): void {
    const { clock, resumeWindowMs } = this.#options;
    this.#reply = undefined;
    this.#stopTimer();
    this.#stopTimer = clock.after(resumeWindowMs, () => this.#close(), { background: true });
  }

  #close(): void {
    this.#stopTimer();
    this.#events = [];
    this.#isClosed = true;
    if (!this.#isComplete) this.#notifyLost();
    this.#options.onClosed();
  }

  #startStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    if (!this.#reply) return;
    this.#stopTimer();
    const { id, primed } = this.#options;
    this.#reply.startStream(primed ? `id: ${id}-0\nretry: ${RETRY_MS}\ndata: \n\n` : undefined);
  }

  #store(message: Message, revision: string, requestMethod: string | undefined): SentEvent {
    const event = { number: ++this.#lastNumber, message, revision, requestMethod, data: JSON.stringify(message) };
    this.#events.push(event);
    this.#storedCharacters += event.data.length;
    while (this.#storedCharacters > MAX_STORED_CHARACTERS && this.#events.length > 1)
      this.#storedCharacters -= this.#events.shift()!.data.length;
    return event;
  }

  #write({ number, message, revision, requestMethod, data }: SentEvent): void {
    this.#reply?.send(message, revision, requestMethod, { id: `${this.#options.id}-${number}`, data });
  }
}

/** Splits the id of an event into the id of its stream and its number. Returns undefined for an id of another form. */
export function parseEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const [, stream, number] = /^(\w+)-(\d+)$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
