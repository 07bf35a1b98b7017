/** MCP over the standard streams of a child process: one JSON message a line. */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { LAST_WORDS_MS } from "../process/index.ts";
import type { ServerProcess } from "../process/index.ts";
import type { Malformed, Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { FairShare } from "./fair-share.ts";
import { LineSplitter } from "./line-splitter.ts";
import { LineWriter } from "./line-writer.ts";
import { parseLine } from "./parse-message.ts";
import { ReadHolds } from "./read-holds.ts";
import { UnreadAnswers } from "./unread-answers.ts";

export interface StdioOptions {
  readonly server: string;
  readonly process: ServerProcess;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
}

/** What may wait for a server that does not read, in characters. */
const MAX_UNREAD = 64 * 1024 * 1024;
/** A process that ends closes its pipes a moment before; one that lives on without them is of no use. */
const HALF_CLOSED_MS = 500;

const NOISE: Malformed = { type: "malformed", why: "not a message", like: "noise" };

export class StdioTransport implements Transport {
  readonly shared = true;

  readonly #options: StdioOptions;
  readonly #lines: LineWriter;
  readonly #answers: UnreadAnswers;
  readonly #share: FairShare;
  #events: TransportEvents | undefined;
  #closed = false;
  /** Ends the wait for the exit after a closed pipe, or for the last answer after the exit. */
  #stopWaiting: (() => void) | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#lines = new LineWriter(options.process.stdin);
    const holds = new ReadHolds(options.process.stdout);
    this.#answers = new UnreadAnswers(holds.party());
    this.#share = new FairShare(holds.party(), options.clock);
  }

  start(events: TransportEvents): void {
    this.#events = events;
    const { process, maxMessageBytes, server } = this.#options;
    const lines = new LineSplitter(maxMessageBytes);
    const read = (chunk: Buffer) => {
      if (this.#closed || lines.push(chunk, (line) => this.#read(line))) return;
      this.#giveUp(new HostError("MESSAGE_TOO_LARGE", { server, limitBytes: maxMessageBytes }));
    };
    process.stdout.on("data", (chunk: Buffer) => this.#share.handle(chunk, read));
    process.stdout.once("close", () => this.#halfClosed("it closed its output"));
    process.stdin.once("error", () => this.#halfClosed("it closed its input"));
    void this.#watchExit();
  }

  /** Waits for a server that is slow to read. */
  send(message: Message): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const line = writeMessage(message);
    this.#checkRoom(line.length);
    const taken = this.#lines.write(line);
    if (taken && !("method" in message)) void this.#answers.add(line.length, taken);
    return taken;
  }

  drop(): void {}

  async close(): Promise<void> {
    this.#lines.flush();
    this.#closed = true;
    this.#stopWaiting?.();
    this.#share.stop();
    await this.#options.process.stop();
  }

  #checkRoom(length: number): void {
    const { server, process } = this.#options;
    if (!process.stdin.writable) throw new HostError("CONNECTION_LOST", { server, reason: "its input is closed" });
    const { waiting } = this.#lines;
    if (waiting > 0 && waiting + length > MAX_UNREAD) throw new HostError("SERVER_NOT_READING", { server });
  }

  #read(line: Buffer): void {
    if (!this.#closed && !isEmpty(line)) this.#events?.message(parseLine(line) ?? NOISE);
  }

  async #watchExit(): Promise<void> {
    const { server, process } = this.#options;
    const drained = new Promise<void>((resolve) => process.stdout.once("close", resolve));
    const exit = await process.exited;
    this.#stopWaiting?.();
    this.#share.stop();
    // The last answer may still be in the pipe, and a grandchild may hold the pipe open for ever.
    if (!this.#closed) await this.#lastWords(drained);
    const stderr = process.stderrTail;
    this.#end(new HostError("SERVER_CRASHED", { server, exit, ...(stderr && { stderr }) }));
  }

  #lastWords(drained: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.#options.clock.after(LAST_WORDS_MS, resolve);
      this.#stopWaiting = () => {
        stopTimer();
        resolve();
      };
      void drained.then(this.#stopWaiting);
    });
  }

  #halfClosed(reason: string): void {
    const { server, clock } = this.#options;
    if (this.#closed || this.#stopWaiting) return;
    this.#stopWaiting = clock.after(HALF_CLOSED_MS, () =>
      this.#giveUp(new HostError("CONNECTION_LOST", { server, reason })),
    );
  }

  #giveUp(error: HostError): void {
    if (this.#closed) return;
    this.#end(error);
    void this.#options.process.stop();
  }

  #end(error: HostError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopWaiting?.();
    this.#share.stop();
    this.#events?.closed(error);
  }
}

const CARRIAGE_RETURN = 0x0d;

function isEmpty(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);
}
