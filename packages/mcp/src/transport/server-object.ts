/**
 * A server that is an object of this program, as the official SDKs make them (1.x and 2.x alike): it is connected to
 * one end of a linked pair, which it takes for a transport of its own kind. Known by its shape: no SDK is imported.
 */
import { HostError } from "@plugboard/contracts";
import type { Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { linkedPair } from "./in-process.ts";

export interface ServerObject {
  // Each SDK declares the transport with types of its own; what it needs of it is the same.
  // oxlint-disable-next-line typescript/no-explicit-any
  connect(transport: any): Promise<unknown>;
}

/** The way to it. It is connected when the transport is started, and can be served again once that is closed. */
export function serveInProcess(object: ServerObject, server = "in-process"): Transport {
  const [near, far] = linkedPair(server);
  const side = new ServerSide(far);
  const connect = async (events: TransportEvents): Promise<void> => {
    try {
      await object.connect(side);
    } catch (error) {
      const what = `it could not be connected (${error instanceof Error ? error.message : String(error)})`;
      await near.close();
      events.closed(new HostError("SERVER_INVALID", { server, what }, { cause: error }));
    }
  };
  return {
    shared: true,
    start(events) {
      near.start(events);
      void connect(events);
    },
    send: (message) => near.send(message),
    drop: () => {},
    close: async () => {
      await near.close();
      await side.gone;
    },
  };
}

/** What the SDKs call a transport. */
class ServerSide {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Once it has been told, it can be connected again. */
  gone: Promise<void> = Promise.resolve();

  readonly #end: Transport;
  #tellGone = () => {};
  #closed = false;

  constructor(end: Transport) {
    this.#end = end;
  }

  start(): Promise<void> {
    this.gone = new Promise((resolve) => (this.#tellGone = resolve));
    this.#end.start({
      message: (incoming) => {
        if (incoming.type === "malformed") this.onerror?.(new Error(incoming.why));
        else this.#hand(incoming.message);
      },
      lost: () => {},
      closed: () => this.#ended(),
    });
    return Promise.resolve();
  }

  async send(message: Message): Promise<void> {
    await this.#end.send(message);
  }

  async close(): Promise<void> {
    await this.#end.close();
    this.#ended();
  }

  /** What a server throws at its own transport must not end the whole program. */
  #hand(message: Message): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tellGone();
    this.onclose?.();
  }
}
