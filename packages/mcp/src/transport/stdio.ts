/** MCP over the standard streams of a child process: one JSON message a line. */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { LAST_WORDS_MS } from "../process/index.ts";
import type { ServerProcess } from "../process/index.ts";
import { classify } from "../wire/message.ts";
import type { Incoming, Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { LineSplitter } from "./line-splitter.ts";

export interface StdioOptions {
  readonly server: string;
  readonly process: ServerProcess;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
}

export class StdioTransport implements Transport {
  readonly kind = "stdio";
  /** Lines on stdout that were no message: banners and other noise. */
  noise = 0;

  readonly #options: StdioOptions;
  #events: TransportEvents | undefined;
  #closed = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  start(events: TransportEvents): void {
    this.#events = events;
    const { process, clock, maxMessageBytes, server } = this.#options;
    const lines = new LineSplitter(maxMessageBytes);
    process.stdout.on("data", (chunk: Buffer) => {
      if (this.#closed || lines.push(chunk, (line) => this.#read(line))) return;
      this.#end(new HostError("MESSAGE_TOO_LARGE", { server, limitBytes: maxMessageBytes }));
      void process.stop();
    });
    const drained = new Promise<void>((resolve) => process.stdout.once("close", resolve));
    void process.exited.then(async (exit) => {
      // The last answer may still be in the pipe, and a grandchild may hold the pipe open for ever.
      await Promise.race([drained, new Promise<void>((resolve) => clock.after(LAST_WORDS_MS, resolve))]);
      const stderr = process.stderrTail;
      this.#end(new HostError("SERVER_CRASHED", { server, exit, ...(stderr && { stderr }) }));
    });
  }

  /** Waits for a server that does not read its input, so that nothing piles up on our side. */
  send(message: Message): Promise<void> {
    const { stdin } = this.#options.process;
    if (this.#closed || stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stdin.off("drain", done).off("close", done);
        resolve();
      };
      stdin.on("drain", done).on("close", done);
    });
  }

  drop(): void {}

  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.process.stop();
  }

  #read(line: Buffer): void {
    if (this.#closed) return;
    const incoming = parseLine(line);
    if (incoming) this.#events?.message(incoming);
    else this.noise += 1;
  }

  #end(error: HostError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.closed(error);
  }
}

/** Nothing for a line that does not even look like a message. */
function parseLine(line: Buffer): Incoming | undefined {
  const text = line.toString("utf8").trim();
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  try {
    return classify(JSON.parse(text));
  } catch (error) {
    return { type: "malformed", why: `not JSON (${(error as Error).message})` };
  }
}
