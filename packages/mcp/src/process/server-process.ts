/**
 * One server's process, with all that it starts. `processes.ts` is the only one
 * to make them; what a system can do to a group of processes is in `posix.ts`
 * and `windows.ts`.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { steadyNow } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { OutputTail } from "./output-tail.ts";
import type { ProcessGroup } from "./platform.ts";
import { LADDER, nextRung } from "./stop-ladder.ts";

/** How long what an ended process wrote may take to arrive. */
export const LAST_WORDS_MS = 250;

const LOOK_MS = 20;

export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended, in words: `exit code 1`, `SIGKILL`. */
  readonly exited: Promise<string>;

  readonly #child: ChildProcess;
  readonly #group: ProcessGroup;
  readonly #clock: Clock;
  readonly #stderr = new OutputTail();
  #pipesClosed = false;
  #ending: Promise<void> | undefined;
  #asked = false;
  #forced = false;
  #hurry: (() => void) | undefined;

  constructor(child: ChildProcess, group: ProcessGroup, clock: Clock) {
    this.#child = child;
    this.#group = group;
    this.#clock = clock;
    this.pid = child.pid!;
    this.stdin = child.stdin!;
    this.stdout = child.stdout!;
    child.stderr!.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    child.once("close", () => (this.#pipesClosed = true));
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
      // On Windows a shell is started where no program is found, and this is told instead of the shell's exit.
      child.on("error", () => resolve("its command was not found"));
    });
  }

  get stderrTail(): string {
    return this.#stderr.text;
  }

  /** Ends the whole group, politely at first; asked a second time, at once. */
  stop(): Promise<void> {
    if (this.#asked) {
      this.#forced = true;
      this.#hurry?.();
    }
    this.#asked = true;
    return this.sweep();
  }

  /** Ends what is left of the group, if nobody is at it already. */
  sweep(): Promise<void> {
    this.#ending ??= this.#climb();
    return this.#ending;
  }

  /** At once and without waiting, for when there is no time left to wait. */
  kill(): void {
    this.#group.kill();
  }

  async #climb(): Promise<void> {
    let at: number | undefined = nextRung(-1, this.#forced);
    while (at !== undefined && this.#group.alive) {
      const rung = LADDER[at]!;
      if (rung.do === "signal") this.#group.signal(rung.signal);
      else this.stdin.end();
      await this.#groupGone(rung.waitMs);
      at = nextRung(at, this.#forced);
    }
    this.#letGoOfPipes();
  }

  /** What was written last is still read; a pipe that a stranger holds open is not waited for. */
  #letGoOfPipes(): void {
    if (this.#pipesClosed) return;
    const letGo = () => {
      this.stdout.destroy();
      this.#child.stderr?.destroy();
    };
    // The timer is unreferenced: an open pipe alone keeps the Node process alive.
    const cancel = this.#clock.after(LAST_WORDS_MS, letGo, true);
    this.#child.once("close", cancel);
  }

  /** The exit of the leader is told; that the rest of its group has ended is not, so it is looked at, often. */
  #groupGone(waitMs: number): Promise<void> {
    const until = steadyNow(this.#clock) + waitMs;
    return new Promise((resolve) => {
      let cancel = () => {};
      let waiting = true;
      const done = () => {
        waiting = false;
        cancel();
        resolve();
      };
      const look = () => {
        cancel();
        if (!waiting) return;
        if (!this.#group.alive || steadyNow(this.#clock) >= until) return done();
        cancel = this.#clock.after(LOOK_MS, look);
      };
      this.#hurry = done;
      void this.exited.then(look);
      look();
    });
  }
}
