/**
 * Stops the servers of a host that was killed. The guard is one small shell process for all servers. It notices the
 * host's death because its stdin closes. It runs only while there are servers to watch.
 *
 * It misses a process that has just been started and not yet been reported, and processes that have left their group.
 * Windows has no guard (see `windows.ts`).
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import { guardScript } from "./guard-script.ts";

/** A guard that exits sooner is broken. It is not replaced before the next server starts. */
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

  /** The write is synchronous, so the guard gets the line even if the host is killed right after. */
  #writeLine(line: string): void {
    this.#shell?.stdin?.write(line);
  }

  /** The guard exits when its stdin ends. */
  #stop(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

/**
 * Starts the guard without our environment and files. It does not keep the host alive. Returns undefined if it can't be
 * started; the host then runs without a guard.
 */
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
