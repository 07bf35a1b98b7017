/** MCP over the stdin and stdout of a child process: one JSON message per line. */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { OUTPUT_DRAIN_MS } from "../../process/index.ts";
import type { ServerProcess } from "../../process/index.ts";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/message.ts";
import { ReadThrottle, SharedPause, UnreadResponses } from "../messages/backpressure.ts";
import { LineSplitter } from "./line-splitter.ts";
import { LineWriter } from "./line-writer.ts";
import { NOISE, parseLine } from "../messages/parse-message.ts";

export interface StdioTransportOptions {
  readonly server: string;
  readonly process: ServerProcess;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
}

/** The number of characters that may wait for a server that does not read. */
const MAX_UNREAD_CHARS = 64 * 1024 * 1024;
/**
 * A process closes its pipes shortly before it exits. A process that is still running this long after it closed a pipe
 * is stopped.
 */
const HALF_CLOSED_MS = 500;

export class StdioTransport implements Transport {
  readonly multiplexed = true;

  readonly #options: StdioTransportOptions;
  readonly #writer: LineWriter;
  readonly #unreadResponses: UnreadResponses;
  readonly #throttle: ReadThrottle;
  #events: TransportEvents | undefined;
  #closed = false;
  /** Ends the wait for the exit, or for the remaining output after the exit. */
  #stopWaiting: (() => void) | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#writer = new LineWriter(options.process.stdin);
    const sharedPause = new SharedPause(options.process.stdout);
    this.#unreadResponses = new UnreadResponses(sharedPause.createHandle());
    this.#throttle = new ReadThrottle(sharedPause.createHandle(), options.clock);
  }

  start(events: TransportEvents): void {
    this.#events = events;
    const { process, maxMessageBytes, server } = this.#options;
    const lines = new LineSplitter(maxMessageBytes);
    const read = (chunk: Buffer) => {
      if (this.#closed || lines.push(chunk, (line) => this.#readLine(line))) return;
      this.#fail(new HostError("MESSAGE_TOO_LARGE", { server, limitBytes: maxMessageBytes }));
    };
    process.stdout.on("data", (chunk: Buffer) => this.#throttle.handle(chunk, read));
    process.stdout.once("close", () => this.#onHalfClosed("it closed its output"));
    process.stdin.once("error", () => this.#onHalfClosed("it closed its input"));
    void this.#watchExit();
  }

  /** Resolves when the message has been written, which takes longer if the server reads slowly. */
  send(message: Message): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const line = serializeMessage(message);
    this.#assertCapacity(line.length);
    const written = this.#writer.write(line);
    if (written && !("method" in message)) void this.#unreadResponses.add(line.length, written);
    return written;
  }

  closeRequestStream(): void {}

  async close(): Promise<void> {
    this.#writer.flush();
    this.#closed = true;
    this.#stopWaiting?.();
    this.#throttle.stop();
    await this.#options.process.stop();
  }

  #assertCapacity(length: number): void {
    const { server, process } = this.#options;
    if (!process.stdin.writable) throw new HostError("CONNECTION_LOST", { server, reason: "its input is closed" });
    const { pendingLength } = this.#writer;
    if (pendingLength > 0 && pendingLength + length > MAX_UNREAD_CHARS)
      throw new HostError("SERVER_NOT_READING", { server });
  }

  #readLine(line: Buffer): void {
    if (this.#closed || isEmpty(line)) return;
    const message = parseLine(line);
    if (!message) this.#options.process.noiseLines += 1;
    this.#events?.message(message ?? NOISE);
  }

  async #watchExit(): Promise<void> {
    const { server, process } = this.#options;
    const outputClosed = new Promise<void>((resolve) => process.stdout.once("close", resolve));
    const exit = await process.exited;
    this.#stopWaiting?.();
    this.#throttle.stop();
    // The last response may still be in the pipe. Another process may keep the pipe open, so the wait is limited.
    if (!this.#closed) await this.#drainOutput(outputClosed);
    const stderr = process.stderrTail;
    this.#closeWith(new HostError("SERVER_CRASHED", { server, exit, ...(stderr && { stderr }) }));
  }

  #drainOutput(outputClosed: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.#options.clock.after(OUTPUT_DRAIN_MS, resolve);
      this.#stopWaiting = () => {
        stopTimer();
        resolve();
      };
      void outputClosed.then(this.#stopWaiting);
    });
  }

  /** Called when one of the pipes has closed. */
  #onHalfClosed(reason: string): void {
    const { server, clock } = this.#options;
    if (this.#closed || this.#stopWaiting) return;
    this.#stopWaiting = clock.after(HALF_CLOSED_MS, () =>
      this.#fail(new HostError("CONNECTION_LOST", { server, reason })),
    );
  }

  #fail(error: HostError): void {
    if (this.#closed) return;
    this.#closeWith(error);
    void this.#options.process.stop();
  }

  #closeWith(error: HostError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopWaiting?.();
    this.#throttle.stop();
    this.#events?.closed(error);
  }
}

const CARRIAGE_RETURN = 0x0d;

function isEmpty(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);
}
