/**
 * MCP without a wire: two linked ends in one process.
 *
 * A message is written as JSON and read again on the other side, as on any wire. So neither side ever holds an object
 * of the other, what is no JSON is refused where it is sent and not where it is used, and nothing works here that
 * would fail once the server moves into a process of its own. (A structured clone would be slower, and would let
 * dates, maps and undefined members through.)
 *
 * Messages are delivered in turns of the event loop of their own: a sender is never called back while it sends, and
 * two ends that chat without end starve nobody.
 */
import { HostError } from "@plugboard/contracts";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/serialize-message.ts";
import { parseMessage } from "../messages/parse-message.ts";

/** What one end sends the other receives. Closing one closes the other behind everything that was sent. */
export function linkedPair(server = IN_PROCESS): [Transport, Transport] {
  const [one, other] = [new LinkedEnd(server), new LinkedEnd(server)];
  one.peer = other;
  other.peer = one;
  return [one, other];
}

const IN_PROCESS = "in-process";

class LinkedEnd implements Transport {
  readonly multiplexed = true;
  peer!: LinkedEnd;

  readonly #server: string;
  /** What has been sent to this end and not been delivered: a message as text, or the end. */
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

  /** What is sent before the other end has started waits for it. */
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

  /** What arrives meanwhile waits for the next turn. */
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
