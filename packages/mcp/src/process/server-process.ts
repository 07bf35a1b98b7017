/**
 * One server's process, in a process group of its own, so that whatever it
 * starts (npx → sh → node) ends with it. `processes.ts` is the only one to make them.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { access, constants, stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { HostError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { serverEnvironment } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { OutputTail } from "./output-tail.ts";
import { LADDER, nextRung } from "./stop-ladder.ts";

export interface ProcessSpec {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

/** How long what an ended process wrote may take to arrive. */
export const LAST_WORDS_MS = 250;

export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended, in words: `exit code 1`, `SIGKILL`. */
  readonly exited: Promise<string>;

  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #stderr = new OutputTail();
  #stopping: Promise<void> | undefined;
  #forced = false;
  #hurry: (() => void) | undefined;

  constructor(child: ChildProcess, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    this.pid = child.pid!;
    this.stdin = child.stdin!;
    this.stdout = child.stdout!;
    child.stderr!.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  }

  get stderrTail(): string {
    return this.#stderr.text;
  }

  /** Ends the whole group, politely at first; asked a second time, at once. */
  stop(): Promise<void> {
    if (this.#stopping) {
      this.#forced = true;
      this.#hurry?.();
    }
    return this.sweep();
  }

  /** Ends what is left of the group, if nobody is at it already. */
  sweep(): Promise<void> {
    this.#stopping ??= this.#climb();
    return this.#stopping;
  }

  /** At once and without waiting, for when there is no time left to wait. */
  kill(): void {
    this.#signalGroup("SIGKILL");
  }

  async #climb(): Promise<void> {
    let at: number | undefined = nextRung(-1, this.#forced);
    while (at !== undefined && this.#groupAlive()) {
      const rung = LADDER[at]!;
      if (rung.do === "signal") this.#signalGroup(rung.signal);
      else this.stdin.end();
      await this.#groupGone(rung.waitMs);
      at = nextRung(at, this.#forced);
    }
    // What was written last is still read; a pipe that a stranger holds open is not waited for.
    const letGo = this.#clock.after(LAST_WORDS_MS, () => {
      this.stdout.destroy();
      this.#child.stderr?.destroy();
    });
    this.#child.once("close", letGo);
  }

  /** No event tells that a group is empty, so it is looked at, often. */
  #groupGone(waitMs: number): Promise<void> {
    const until = this.#clock.now() + waitMs;
    return new Promise((resolve) => {
      let cancel = () => {};
      const look = () => {
        if (!this.#groupAlive() || this.#clock.now() >= until) return resolve();
        cancel = this.#clock.after(20, look);
      };
      this.#hurry = () => {
        cancel();
        resolve();
      };
      look();
    });
  }

  #groupAlive(): boolean {
    if (process.platform === "win32") return this.#child.exitCode === null && this.#child.signalCode === null;
    return this.#kill(0);
  }

  #signalGroup(signal: NodeJS.Signals): void {
    this.#kill(signal);
  }

  /** False when nobody is left to hear it. */
  #kill(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(process.platform === "win32" ? this.pid : -this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
      // A group that is all zombies refuses with EPERM on some systems; it is as good as gone.
      if ((error as NodeJS.ErrnoException).code === "EPERM") return false;
      throw error;
    }
  }
}

export async function spawnServer(spec: ProcessSpec, clock: Clock): Promise<ServerProcess> {
  const { command, args, cwd, env } = spec;
  try {
    // Some reasons are thrown here, others are told by an event.
    const child = spawn(command, [...args], {
      cwd,
      env: serverEnvironment(process.env, env, process.platform),
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    // What breaks a pipe is noticed by whoever uses it; here it only must not throw.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {});
    await once(child, "spawn");
    return new ServerProcess(child, clock);
  } catch (error) {
    const reason = await spawnReason(spec, error as NodeJS.ErrnoException);
    // Without a cause: Node's own error quotes the arguments, and those may be secrets.
    throw new HostError("SERVER_SPAWN_FAILED", { server: spec.server, command, reason });
  }
}

/** ENOENT and EACCES may mean the command or the folder; the user is told which. */
async function spawnReason({ command, cwd }: ProcessSpec, error: NodeJS.ErrnoException): Promise<string> {
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder) return `its working folder ${cwd} does not exist`;
  if (!folder.isDirectory()) return `its working folder ${cwd} is not a folder`;
  if (!(await access(cwd, constants.X_OK).then(yes, no))) return `its working folder ${cwd} may not be entered`;
  switch (error.code) {
    case "ENOENT":
      return `the command "${command}" was not found`;
    case "EACCES":
      return `the command "${command}" may not be executed`;
    case "E2BIG":
      return "its arguments and variables are too long together";
    case "ERR_INVALID_ARG_VALUE":
      return "its command, one of its arguments or one of its variables has a NUL character in it";
    default:
      return `the system refused (${error.code ?? error.name})`;
  }
}

const yes = () => true;
const no = () => false;
