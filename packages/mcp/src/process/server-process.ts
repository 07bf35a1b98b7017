/** The process of one server, and all processes that it starts. Only `spawn-server.ts` creates instances. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { SandboxDenials } from "../sandbox/index.ts";
import type { ProcessGroup } from "./platform.ts";
import { STOP_STEPS, nextStopStep } from "./stop-steps.ts";

/** How long to wait for the remaining output of a process that has exited. */
export const OUTPUT_DRAIN_MS = 250;

const POLL_MS = 20;
const FIRST_SIGNAL = STOP_STEPS.findIndex((step) => step.do === "signal");

/** The ends of a server's pipes. A sandboxed server has other descriptors than its first process. */
interface ServerPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** How a sandbox changes the process of a server. */
export interface SandboxedProcess {
  readonly pipes: ServerPipes;
  readonly denials: SandboxDenials;
  /** Returns the exit reason of the server from that of the first process. */
  readonly exitReason: (code: number | null, signal: NodeJS.Signals | null) => string;
  /** Ends what the sandbox needs outside of the process group, such as its network. */
  readonly end: () => Promise<void>;
  readonly kill: () => void;
}

export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the exit reason: `exit code 1`, `SIGKILL`. */
  readonly exited: Promise<string>;
  /** Resolves when the process has exited and its output has ended. Another process can keep the output open longer. */
  readonly outputEnded: Promise<void>;
  /** What the sandbox has refused. Undefined without a sandbox. */
  readonly sandboxDenials: SandboxDenials | undefined;
  /** The number of lines on stdout that are not MCP messages. The transport counts them. */
  noiseLines = 0;

  readonly #stderrPipe: Readable;
  readonly #sandbox: SandboxedProcess | undefined;
  readonly #group: ProcessGroup;
  readonly #clock: Clock;
  readonly #stderr = new OutputTail();
  #onStderr: ((chunk: Buffer) => void) | undefined;
  #pipesClosed = false;
  #stopping: Promise<void> | undefined;
  #stopRequested = false;
  #forced = false;
  #skipWait: (() => void) | undefined;

  constructor(child: ChildProcess, group: ProcessGroup, clock: Clock, sandbox?: SandboxedProcess) {
    const { stdin, stdout, stderr } = sandbox?.pipes ?? (child as ChildProcess & ServerPipes);
    this.#stderrPipe = stderr;
    this.#sandbox = sandbox;
    this.sandboxDenials = sandbox?.denials;
    this.#group = group;
    this.#clock = clock;
    this.pid = child.pid!;
    this.stdin = stdin;
    this.stdout = stdout;
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr.push(chunk);
      this.#onStderr?.(chunk);
    });
    // Ends the last line, because the output of the next process may follow it.
    stderr.once("end", () => {
      if (this.#stderr.endsInsideLine) this.#onStderr?.(Buffer.from("\n"));
    });
    this.outputEnded = new Promise((resolve) => {
      child.once("close", () => {
        this.#pipesClosed = true;
        resolve();
      });
    });
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(sandbox?.exitReason(code, signal) ?? signal ?? `exit code ${code}`));
      // On Windows, cross-spawn starts a shell if the program is not found. It then emits this event instead of `exit`.
      child.on("error", () => resolve("its command was not found"));
    });
  }

  get stderrTail(): string {
    return this.#stderr.text;
  }

  /** Calls `onChunk` with the stored end of the earlier output, and then with each new chunk. */
  followStderr(onChunk: (chunk: Buffer) => void): void {
    const { stderrTail } = this;
    if (stderrTail !== "") onChunk(Buffer.from(`${stderrTail}\n`));
    this.#onStderr = onChunk;
  }

  /** Stops the whole process group with the steps of `stop-steps.ts`. A second call skips to SIGKILL. */
  stop(): Promise<void> {
    if (this.#stopRequested) {
      this.#forced = true;
      this.#skipWait?.();
    }
    this.#stopRequested = true;
    return this.stopRemaining();
  }

  /** Stops the whole process group, beginning with SIGTERM, for a process that does not exit when its stdin ends. */
  terminate(): Promise<void> {
    this.#stopping ??= this.#runStopSteps(FIRST_SIGNAL);
    return this.#stopping;
  }

  /** Stops the remaining processes of the group, unless that has already begun. */
  stopRemaining(): Promise<void> {
    this.#stopping ??= this.#runStopSteps();
    return this.#stopping;
  }

  /** Kills the group synchronously, without waiting for its exit. */
  kill(): void {
    this.#group.kill();
    this.#sandbox?.kill();
  }

  async #runStopSteps(first = 0): Promise<void> {
    this.#group.findStrays();
    let index: number | undefined = nextStopStep(first - 1, this.#forced);
    while (index !== undefined && this.#group.alive) {
      const step = STOP_STEPS[index]!;
      if (step.do === "signal") this.#group.signal(step.signal);
      else this.stdin.end();
      await this.#waitForGroupExit(step.waitMs);
      index = nextStopStep(index, this.#forced);
    }
    await this.#sandbox?.end();
    this.#closePipes();
  }

  /** Lets the remaining output arrive, then closes the pipes even if another process keeps them open. */
  #closePipes(): void {
    if (this.#pipesClosed) return;
    const destroyPipes = () => {
      this.stdout.destroy();
      this.#stderrPipe.destroy();
    };
    // A background timer is enough, because an open pipe keeps the host alive.
    const cancel = this.#clock.after(OUTPUT_DRAIN_MS, destroyPipes, { background: true });
    void this.outputEnded.then(cancel);
  }

  /** Polls the group, because only the exit of its leader emits an event. */
  #waitForGroupExit(waitMs: number): Promise<void> {
    const deadline = steadyNow(this.#clock) + waitMs;
    return new Promise((resolve) => {
      let cancel = () => {};
      let waiting = true;
      const done = () => {
        waiting = false;
        cancel();
        resolve();
      };
      const poll = () => {
        cancel();
        if (!waiting) return;
        if (!this.#group.alive || steadyNow(this.#clock) >= deadline) return done();
        cancel = this.#clock.after(POLL_MS, poll);
      };
      this.#skipWait = done;
      void this.exited.then(poll);
      poll();
    });
  }
}

const LINE_BREAK = 10;

/** Keeps the last bytes of a stream, for error messages. Uses a fixed amount of memory. */
export class OutputTail {
  readonly #ring: Buffer;
  /** The index at which the next byte is written. */
  #position = 0;
  #truncated = false;

  constructor(limitBytes = 4096) {
    this.#ring = Buffer.alloc(limitBytes);
  }

  push(chunk: Buffer | string): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    const limit = this.#ring.length;
    if (this.#position + bytes.length > limit) this.#truncated = true;
    const kept = bytes.subarray(-limit);
    const copied = kept.copy(this.#ring, this.#position);
    // The rest continues at the start of the ring.
    kept.copy(this.#ring, 0, copied);
    this.#position = this.#truncated ? (this.#position + kept.length) % limit : this.#position + kept.length;
  }

  /** True if the output does not end with a line break. */
  get endsInsideLine(): boolean {
    const { length } = this.#ring;
    return (this.#position > 0 || this.#truncated) && this.#ring[(this.#position + length - 1) % length] !== LINE_BREAK;
  }

  /** The kept bytes as text, without colours. Omits a truncated first line, unless it is the only line. */
  get text(): string {
    return stripVTControlCharacters(this.#text).trim();
  }

  get #text(): string {
    if (!this.#truncated) return this.#ring.toString("utf8", 0, this.#position);
    const bytes = Buffer.concat([this.#ring.subarray(this.#position), this.#ring.subarray(0, this.#position)]);
    const text = bytes.toString("utf8", firstCharacterStart(bytes)).trimEnd();
    return text.slice(text.indexOf("\n") + 1);
  }
}

/** Returns the index of the first character that was not truncated. */
function firstCharacterStart(bytes: Buffer): number {
  // The bytes after the first one of a UTF-8 character start with the bits 10.
  const start = bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return Math.max(start, 0);
}
