/** MCP over the standard streams of a child process: one JSON message a line. */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { LAST_WORDS_MS } from "../process/index.ts";
import type { ServerProcess } from "../process/index.ts";
import type { Malformed, Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { LineSplitter } from "./line-splitter.ts";
import { parseLine } from "./parse-message.ts";

export interface StdioOptions {
  readonly server: string;
  readonly process: ServerProcess;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
}

/** What may wait for a server that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** What of that may be answers. A server that asks on without reading them is not read either. */
const MAX_UNREAD_ANSWER_BYTES = 4 * 1024 * 1024;
/** A process that ends closes its pipes a moment before; one that lives on without them is of no use. */
const HALF_CLOSED_MS = 500;

const NOISE: Malformed = { type: "malformed", why: "not a message", like: "noise" };

export class StdioTransport implements Transport {
  readonly shared = true;

  readonly #options: StdioOptions;
  #events: TransportEvents | undefined;
  #closed = false;
  #exited = false;
  #drained: Promise<void> | undefined;
  #unreadAnswerBytes = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  start(events: TransportEvents): void {
    this.#events = events;
    const { process, maxMessageBytes, server } = this.#options;
    const lines = new LineSplitter(maxMessageBytes);
    process.stdout.on("data", (chunk: Buffer) => {
      if (this.#closed || lines.push(chunk, (line) => this.#read(line))) return;
      this.#giveUp(new HostError("MESSAGE_TOO_LARGE", { server, limitBytes: maxMessageBytes }));
    });
    process.stdout.once("close", () => this.#halfClosed("it closed its output"));
    process.stdin.once("error", () => this.#halfClosed("it closed its input"));
    void this.#watchExit();
  }

  /** Waits for a server that is slow to read. */
  async send(message: Message): Promise<void> {
    if (this.#closed) return;
    const { stdin } = this.#options.process;
    const line = Buffer.from(`${writeMessage(message)}\n`);
    this.#checkRoom(line.length);
    if (stdin.write(line)) return;
    if (!("method" in message)) this.#holdBack(line.length);
    await this.#untilDrained();
  }

  drop(): void {}

  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.process.stop();
  }

  #checkRoom(bytes: number): void {
    const { server, process } = this.#options;
    const { writable, writableLength } = process.stdin;
    if (!writable) throw new HostError("CONNECTION_LOST", { server, reason: "its input is closed" });
    if (writableLength > 0 && writableLength + bytes > MAX_UNREAD_BYTES) {
      const reason = `it has not read the last ${writableLength} bytes that it was sent`;
      throw new HostError("SERVER_UNREACHABLE", { server, reason });
    }
  }

  #holdBack(bytes: number): void {
    this.#unreadAnswerBytes += bytes;
    if (this.#unreadAnswerBytes > MAX_UNREAD_ANSWER_BYTES) this.#options.process.stdout.pause();
  }

  /** One wait for all who wait. */
  #untilDrained(): Promise<void> {
    const { stdin, stdout } = this.#options.process;
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        stdin.off("drain", done).off("close", done);
        this.#drained = undefined;
        this.#unreadAnswerBytes = 0;
        stdout.resume();
        resolve();
      };
      stdin.on("drain", done).on("close", done);
    });
    return this.#drained;
  }

  #read(line: Buffer): void {
    if (!this.#closed && line.length > 0) this.#events?.message(parseLine(line) ?? NOISE);
  }

  async #watchExit(): Promise<void> {
    const { server, process, clock } = this.#options;
    const drained = new Promise<void>((resolve) => process.stdout.once("close", resolve));
    const exit = await process.exited;
    this.#exited = true;
    // The last answer may still be in the pipe, and a grandchild may hold the pipe open for ever.
    await Promise.race([drained, new Promise<void>((resolve) => clock.after(LAST_WORDS_MS, resolve))]);
    const stderr = process.stderrTail;
    this.#end(new HostError("SERVER_CRASHED", { server, exit, ...(stderr && { stderr }) }));
  }

  #halfClosed(reason: string): void {
    const { server, clock } = this.#options;
    clock.after(HALF_CLOSED_MS, () => {
      if (!this.#exited) this.#giveUp(new HostError("CONNECTION_LOST", { server, reason }));
    });
  }

  #giveUp(error: HostError): void {
    if (this.#closed) return;
    this.#end(error);
    void this.#options.process.stop();
  }

  #end(error: HostError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.closed(error);
  }
}
