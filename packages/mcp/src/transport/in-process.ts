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
import type { Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { parseMessage } from "./parse-message.ts";

/** What one end sends the other receives. Closing one closes the other behind everything that was sent. */
export function linkedPair(server = IN_PROCESS): [Transport, Transport] {
  const [one, other] = [new LinkedEnd(server), new LinkedEnd(server)];
  one.other = other;
  other.other = one;
  return [one, other];
}

const IN_PROCESS = "in-process";

class LinkedEnd implements Transport {
  readonly shared = true;
  other!: LinkedEnd;

  readonly #server: string;
  /** What has been sent to this end and not been delivered: a message as text, or the end. */
  #arrived: (string | HostError)[] = [];
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
    if (this.other.#closed) throw this.#gone();
    this.other.#arrive(writeMessage(message));
  }

  drop(): void {}

  close(): Promise<void> {
    if (!this.#closed) this.other.#arrive(this.#gone());
    this.#closed = true;
    this.#arrived = [];
    return Promise.resolve();
  }

  #arrive(item: string | HostError): void {
    this.#arrived.push(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#events || this.#arrived.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver(this.#events!));
  }

  /** What arrives meanwhile waits for the next turn. */
  #deliver(events: TransportEvents): void {
    this.#scheduled = false;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const item of arrived) {
      if (this.#closed) return;
      if (typeof item === "string") events.message(parseMessage(item));
      else this.#end(events, item);
    }
  }

  #end(events: TransportEvents, error: HostError): void {
    this.#closed = true;
    events.closed(error);
  }

  #gone(): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#server, reason: "the other side closed it" });
  }
}
