/** JSON-RPC on lines: sends, asks the other side, and hands on whatever is not an answer to a question of ours. */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export type Id = string | number;
export type Json = { readonly [key: string]: unknown };

/** What came back for a question: `{result}` or `{error}`, as the client wrote it. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Incoming {
  readonly id?: Id;
  readonly method: string;
  readonly params: Json;
}

export class LinePeer {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #questions = new Map<Id, (reply: Reply) => void>();
  #asked = 0;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  /** Resolves when the input ends. */
  async read(receive: (message: Incoming) => void): Promise<void> {
    for await (const line of createInterface({ input: this.#input })) {
      const message = JSON.parse(line) as Partial<Incoming> & Reply;
      if (message.method !== undefined) {
        receive({ params: {}, ...message, method: message.method });
      } else if (message.id !== undefined) {
        const { result, error } = message;
        this.#questions.get(message.id)?.(error === undefined ? { result } : { error });
        this.#questions.delete(message.id);
      }
    }
  }

  send(message: Json): void {
    this.writeLine(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  notify(method: string, params: Json): void {
    this.send({ method, params });
  }

  writeLine(line: string): void {
    this.#output.write(`${line}\n`);
  }

  /** Sends a request to the client. A question that is never answered stays pending; nothing waits for it but its asker. */
  ask(method: string, params: Json): { id: Id; reply: Promise<Reply> } {
    const id = `question-${++this.#asked}`;
    const reply = new Promise<Reply>((resolve) => this.#questions.set(id, resolve));
    this.send({ id, method, params });
    return { id, reply };
  }
}
