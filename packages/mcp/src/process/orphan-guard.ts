/**
 * Ends the servers of a host that was killed and could not do it itself: one
 * tiny process for all of them, which sees the host's end of its pipe close.
 * It runs while there is something to watch over.
 *
 * Not covered: a process in the moment between its birth and the line that tells
 * the guard of it; what has left its group. On Windows there is no guard
 * (`windows.ts`).
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import { guardScript } from "./guard-script.ts";

/** A guard that dies sooner is not replaced before the next server starts: something is wrong with it here. */
const MIN_LIFETIME_MS = 1000;

export class OrphanGuard {
  readonly #clock: Clock;
  readonly #startShell: () => ChildProcess | undefined;
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  constructor(clock: Clock, start = startShell) {
    this.#clock = clock;
    this.#startShell = start;
  }

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell) this.#writeLine(`+ ${group}\n`);
    else this.#start();
  }

  unwatch(group: number): void {
    this.#groups.delete(group);
    this.#writeLine(`- ${group}\n`);
    if (this.#groups.size === 0) this.#stop();
  }

  #start(): void {
    const startedAt = steadyNow(this.#clock);
    const shell = this.#startShell();
    if (!shell) return;
    this.#shell = shell;
    for (const group of this.#groups) this.#writeLine(`+ ${group}\n`);
    shell.once("exit", () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (steadyNow(this.#clock) - startedAt >= MIN_LIFETIME_MS) this.#start();
    });
  }

  /** Written before this returns, so that it is read even if we are killed right after. */
  #writeLine(line: string): void {
    this.#shell?.stdin?.write(line);
  }

  /** Nothing to watch over: the end of its input is all that it waits for. */
  #stop(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

/** Nothing of ours is handed on to it, and it does not keep us from exiting. A host without a guard is still a host. */
function startShell(): ChildProcess | undefined {
  try {
    const shell = spawn("/bin/sh", ["-c", guardScript(process.pid)], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", NODE_V8_COVERAGE: undefined },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    shell.on("error", () => {});
    shell.stdin?.on("error", () => {});
    if (shell.pid === undefined) return undefined;
    shell.unref();
    (shell.stdin as Socket).unref();
    return shell;
  } catch {
    return undefined;
  }
}
