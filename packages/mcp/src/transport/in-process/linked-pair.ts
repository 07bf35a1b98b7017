/**
 * MCP within one process: two linked transports.
 *
 * Each message is serialised to JSON and parsed again. So the two sides never share an object, and a value that is not
 * JSON fails when it is sent. A server behaves the same as in a process of its own.
 *
 * Messages are delivered in a later turn of the event loop. So a sender is never called back while it sends, and two
 * busy sides do not block other work.
 */
import { HostError } from "@plugboard/contracts";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/message.ts";
import { parseMessage } from "../messages/parse-message.ts";

/**
 * Returns two transports. Each one receives the messages of the other. Closing one closes the other after it has received
 * all messages.
 */
export function linkedPair(server = "in-process"): [Transport, Transport] {
  const [first, second] = [new LinkedEnd(server), new LinkedEnd(server)];
  first.peer = second;
  second.peer = first;
  return [first, second];
}

class LinkedEnd implements Transport {
  readonly multiplexed = true;
  peer!: LinkedEnd;

  readonly #server: string;
  /** Messages for this end that have not been delivered, as text. An error in the queue closes this end. */
  #queue: (string | HostError)[] = [];
  #events: TransportEvents | undefined;
  #scheduled = false;
  #closed = false;

  constructor(server: string) {
    this.#server = server;
  }

  start(events: TransportEvents): void {
    this.#events = events;
    this.#schedule();
  }

  /** Messages are queued until the other end has started. */
  async send(message: Message): Promise<void> {
    if (this.#closed) return;
    if (this.peer.#closed) throw this.#lostError();
    this.peer.#enqueue(serializeMessage(message));
  }

  closeRequestStream(): void {}

  close(): Promise<void> {
    if (!this.#closed) this.peer.#enqueue(this.#lostError());
    this.#closed = true;
    this.#queue = [];
    return Promise.resolve();
  }

  #enqueue(item: string | HostError): void {
    this.#queue.push(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#events || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver(this.#events!));
  }

  /** Messages that arrive during the loop wait for the next turn. */
  #deliver(events: TransportEvents): void {
    this.#scheduled = false;
    const items = this.#queue;
    this.#queue = [];
    for (const item of items) {
      if (this.#closed) return;
      if (typeof item === "string") events.message(parseMessage(item));
      else this.#closeWith(events, item);
    }
  }

  #closeWith(events: TransportEvents, error: HostError): void {
    this.#closed = true;
    events.closed(error);
  }

  #lostError(): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#server, reason: "the other side closed it" });
  }
}
