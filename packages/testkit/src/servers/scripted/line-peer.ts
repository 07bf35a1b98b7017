/** A JSON-RPC peer with one message per line. Passes on all incoming messages except the responses to its requests. */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export type RpcId = string | number;
export type RpcObject = { readonly [key: string]: unknown };

/** The response of the client: `{result}` or `{error}`. */
export interface RpcReply {
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface ClientMessage {
  readonly id?: RpcId;
  readonly method: string;
  readonly params: RpcObject;
}

export class LinePeer {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #pending = new Map<RpcId, (reply: RpcReply) => void>();
  #requestCount = 0;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  /** Resolves when the input ends. */
  async read(onMessage: (message: ClientMessage) => void): Promise<void> {
    for await (const line of createInterface({ input: this.#input })) {
      const message = JSON.parse(line) as Partial<ClientMessage> & RpcReply;
      if (message.method !== undefined) {
        onMessage({ params: {}, ...message, method: message.method });
      } else if (message.id !== undefined) {
        const { result, error } = message;
        this.#pending.get(message.id)?.(error === undefined ? { result } : { error });
        this.#pending.delete(message.id);
      }
    }
  }

  send(message: RpcObject): void {
    this.writeLine(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  notify(method: string, params: RpcObject): void {
    this.send({ method, params });
  }

  writeLine(line: string): void {
    this.#output.write(`${line}\n`);
  }

  /** Sends a request to the client. Its promise stays pending if the client never answers. */
  request(method: string, params: RpcObject): { id: RpcId; reply: Promise<RpcReply> } {
    const id = `question-${++this.#requestCount}`;
    const reply = new Promise<RpcReply>((resolve) => this.#pending.set(id, resolve));
    this.send({ id, method, params });
    return { id, reply };
  }
}
