/**
 * A server that is an object of this program, as the official SDKs make them (1.x and 2.x alike): it is connected to
 * one end of a linked pair, which it takes for a transport of its own kind. Known by its shape: no SDK is imported.
 */
import { HostError } from "@plugboard/contracts";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { linkedPair } from "./linked-pair.ts";

export interface ServerObject {
  // Each SDK declares the transport with types of its own; what it needs of it is the same.
  // oxlint-disable-next-line typescript/no-explicit-any
  connect(transport: any): Promise<unknown>;
}

/** The way to it. It is connected when the transport is started, and can be served again once that is closed. */
export function serveInProcess(object: ServerObject, server = "in-process"): Transport {
  const [clientEnd, serverEnd] = linkedPair(server);
  const sdkTransport = new SdkTransport(serverEnd);
  const connect = async (events: TransportEvents): Promise<void> => {
    try {
      await object.connect(sdkTransport);
    } catch (error) {
      const reason = `it could not be connected (${error instanceof Error ? error.message : String(error)})`;
      await clientEnd.close();
      events.closed(new HostError("SERVER_INVALID", { server, reason }, { cause: error }));
    }
  };
  return {
    multiplexed: true,
    start(events) {
      clientEnd.start(events);
      void connect(events);
    },
    send: (message) => clientEnd.send(message),
    closeRequestStream: () => {},
    close: async () => {
      await clientEnd.close();
      await sdkTransport.closed;
    },
  };
}

/** What the SDKs call a transport. */
class SdkTransport {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Once it has been told, it can be connected again. */
  closed: Promise<void> = Promise.resolve();

  readonly #end: Transport;
  #resolveClosed = () => {};
  #isClosed = false;

  constructor(end: Transport) {
    this.#end = end;
  }

  start(): Promise<void> {
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#end.start({
      message: (incoming) => {
        if (incoming.type === "malformed") this.onerror?.(new Error(incoming.reason));
        else this.#deliver(incoming.message);
      },
      requestFailed: () => {},
      closed: () => this.#onClosed(),
    });
    return Promise.resolve();
  }

  async send(message: Message): Promise<void> {
    await this.#end.send(message);
  }

  async close(): Promise<void> {
    await this.#end.close();
    this.#onClosed();
  }

  /** What a server throws at its own transport must not end the whole program. */
  #deliver(message: Message): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#resolveClosed();
    this.onclose?.();
  }
}
