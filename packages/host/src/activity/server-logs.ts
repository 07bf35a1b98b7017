/**
 * Records what servers print: their stderr and their log messages. Keeps a bounded amount in memory and
 * writes it in the background, so that neither a flood of output nor a slow disk delays a call. The
 * code that writes is loaded on first use.
 */
import type { Clock, LogLevel, Redactor } from "@plugboard/contracts";
import type { ServerOutput } from "@plugboard/mcp";
import type { LogLineReader } from "./log-line-reader.ts";

export interface ServerLogsOptions {
  /** Created with the first line. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called for the first failed write. Called again only after a successful write. */
  readonly onFailed: (error: unknown) => void;
  readonly maxFileBytes?: number;
}

/** A part of the output of one server that is not written yet. */
export interface PendingOutput {
  readonly at: number;
  readonly chunk: Buffer;
  /** Set for a log message. */
  readonly log?: { readonly level: LogLevel; readonly logger?: string | undefined };
}

/** The output of one connection. */
interface OutputSource {
  readonly server: string;
  readonly redactor: Redactor | undefined;
  pending: PendingOutput[];
  pendingBytes: number;
  droppedBytes: number;
  reader?: LogLineReader;
}

const WRITE_DELAY_MS = 250;
const CLOSE_TIMEOUT_MS = 2000;
/** Limits the output of one connection that waits for the next write. The oldest output is dropped first. */
const MAX_PENDING_BYTES = 32 * 1024;
const MAX_PENDING_PARTS = 500;
const MAX_MESSAGE_CHARS = 8 * 1024;

export class ServerLogs {
  readonly #options: ServerLogsOptions;
  readonly #changed = new Set<OutputSource>();
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failing = false;
  #closed = false;

  constructor(options: ServerLogsOptions) {
    this.#options = options;
  }

  /** Returns the function that records the output of one connection. The redactor removes its secrets. */
  recorder(server: string, redactor: Redactor | undefined): (output: ServerOutput) => void {
    const source: OutputSource = { server, redactor, pending: [], pendingBytes: 0, droppedBytes: 0 };
    return (output) => this.#record(source, output);
  }

  /** Writes the complete lines without the usual delay. */
  async flush(): Promise<void> {
    if (this.#changed.size > 0) await this.#write();
  }

  /** Writes everything, including an incomplete last line, unless the disk takes too long. Ignores later output. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    if (this.#changed.size === 0) return this.#writing;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#options.clock.after(CLOSE_TIMEOUT_MS, resolve);
      void this.#write({ isLast: true }).then(() => (stopWaiting(), resolve()));
    });
  }

  #record(source: OutputSource, output: ServerOutput): void {
    if (this.#closed) return;
    const at = this.#options.clock.now();
    const part = output.stream === "stderr" ? { at, chunk: output.chunk } : toPendingMessage(at, output.entry);
    source.pending.push(part);
    source.pendingBytes += part.chunk.length;
    while (source.pendingBytes > MAX_PENDING_BYTES || source.pending.length > MAX_PENDING_PARTS) dropOldest(source);
    this.#changed.add(source);
    this.#scheduleWrite();
  }

  #scheduleWrite(): void {
    this.#cancelTimer ??= this.#options.clock.after(WRITE_DELAY_MS, () => void this.#write(), { background: true });
  }

  #write({ isLast = false } = {}): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing = this.#writing.then(() => this.#writeChanged(isLast));
    return this.#writing;
  }

  async #writeChanged(isLast: boolean): Promise<void> {
    const sources = [...this.#changed];
    this.#changed.clear();
    try {
      const [{ LogLineReader }, { appendToServerLog }] = await Promise.all([
        import("./log-line-reader.ts"),
        import("./append-to-server-log.ts"),
      ]);
      for (const source of sources) {
        const reader = (source.reader ??= new LogLineReader(source.redactor));
        const { pending, droppedBytes } = source;
        Object.assign(source, { pending: [], pendingBytes: 0, droppedBytes: 0 });
        const lines = reader.read(pending, droppedBytes, { isLast });
        await appendToServerLog(this.#options, source.server, lines);
        // If no more output arrives, the next write includes the incomplete line.
        if (reader.hasIncompleteLine && !this.#closed) {
          this.#changed.add(source);
          this.#scheduleWrite();
        }
      }
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#options.onFailed(error);
      this.#failing = true;
    }
  }
}

function toPendingMessage(at: number, { level, logger, data }: Extract<ServerOutput, { stream: "log" }>["entry"]) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return { at, chunk: Buffer.from(text.slice(0, MAX_MESSAGE_CHARS)), log: { level, logger } };
}

function dropOldest(source: OutputSource): void {
  const { length } = source.pending.shift()!.chunk;
  source.pendingBytes -= length;
  source.droppedBytes += length;
}
