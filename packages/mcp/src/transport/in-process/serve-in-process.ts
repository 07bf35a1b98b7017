/**
 * Connects a server object of the official SDKs (1.x and 2.x) that lives in this process. Imports no SDK: it only needs
 * an object with a `connect` method.
 */
import { HostError } from "@plugboard/contracts";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { linkedPair } from "./linked-pair.ts";

export interface ServerObject {
  // Each SDK declares its own transport type. The members that matter are the same.
  // oxlint-disable-next-line typescript/no-explicit-any
  connect(transport: any): Promise<unknown>;
}

/**
 * Returns the transport to the server object. The object is connected on `start` and can be used again after `close`.
 */
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

/** Implements the transport interface of the SDKs. */
class SdkTransport {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Resolves when the transport has closed, just before `onclose` is called. */
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

  /** Catches exceptions of the server object, so that they do not end the process. */
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
