/**
 * Checks that may block, one at a time in a thread of their own. A check that
 * takes too long ends the thread; those that wait behind it get a new one. The
 * thread starts with the first check and keeps no process alive by itself.
 */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { Worker } from "node:worker_threads";
import type { ResourceLimits } from "node:worker_threads";
import { PHASE_MS, THREAD_MEMORY, WAITING_CHARS, WAITING_CHECKS } from "./limits.ts";
import type { Phase } from "./limits.ts";
import type { Problem } from "./problem.ts";
import type { ThreadJob, ThreadReport } from "./worker.ts";

export type ThreadAnswer =
  | { readonly problems: readonly Problem[] | undefined }
  /** The schema can't be applied, now or later. */
  | { readonly unusable: string }
  /** It was not applied this time. */
  | { readonly unchecked: string };

interface Waiting {
  readonly job: ThreadJob;
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: HostError) => void;
}

export class CheckThread {
  readonly #clock: Clock;
  readonly #memory: ResourceLimits;
  readonly #waiting: Waiting[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  #waitingChars = 0;
  #running: (Waiting & { phase: Phase; stopTimer: () => void }) | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(clock: Clock, memory: ResourceLimits = THREAD_MEMORY) {
    this.#clock = clock;
    this.#memory = memory;
  }

  check(job: ThreadJob): Promise<ThreadAnswer> {
    if (this.#closed) return Promise.reject(new HostError("HOST_CLOSED", {}));
    if (this.#waiting.length >= WAITING_CHECKS || this.#waitingChars > WAITING_CHARS) {
      return Promise.resolve({ unchecked: "too many others wait to be checked" });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#waitingChars += charsOf(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    this.#endThread();
    for (const one of [running, ...this.#take(() => true)]) one?.reject(new HostError("HOST_CLOSED", {}));
    await Promise.all(this.#ending);
  }

  #next(): void {
    if (this.#running) return;
    const next = this.#waiting.shift();
    if (!next) {
      this.#worker?.unref();
      return;
    }
    this.#waitingChars -= charsOf(next.job);
    const phase = this.#worker ? "compiling" : "starting";
    this.#worker ??= this.#start();
    this.#running = { ...next, phase, stopTimer: () => {} };
    this.#enter(phase);
    this.#worker.ref();
    this.#worker.postMessage(next.job, []);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), {
      name: "schema checks",
      env: {},
      execArgv: [],
      resourceLimits: this.#memory,
    });
    const isCurrent = () => this.#worker === worker;
    worker.on("message", (report: ThreadReport) => {
      if (!isCurrent()) return;
      if ("phase" in report) this.#enter(report.phase);
      else this.#settle(report);
    });
    worker.on("error", (error) => {
      if (isCurrent()) this.#fail(`checking it fails (${error.name})`);
    });
    worker.on("exit", () => {
      if (isCurrent()) this.#fail("checking it ends the thread it runs in");
    });
    return worker;
  }

  #enter(phase: Phase): void {
    const running = this.#running;
    if (!running) return;
    running.stopTimer();
    running.phase = phase;
    running.stopTimer = this.#clock.after(PHASE_MS[phase], () =>
      this.#fail(`${phase} it takes longer than ${PHASE_MS[phase]} ms`),
    );
  }

  /** The schema is to blame, unless the thread did not even start. */
  #fail(reason: string): void {
    const started = this.#running?.phase !== "starting";
    const running = this.#running;
    this.#endThread();
    this.#answer(running, started ? { unusable: reason } : { unchecked: "the thread for checks did not start" });
  }

  #settle(answer: ThreadAnswer): void {
    const running = this.#running;
    running?.stopTimer();
    this.#running = undefined;
    this.#answer(running, answer);
  }

  #answer(ended: Waiting | undefined, answer: ThreadAnswer): void {
    ended?.resolve(answer);
    // It would end the thread again for each.
    if (ended && "unusable" in answer) {
      for (const one of this.#take(({ job }) => job.key === ended.job.key)) one.resolve(answer);
    }
    this.#next();
  }

  #take(which: (one: Waiting) => boolean): Waiting[] {
    const taken = this.#waiting.filter(which);
    const left = this.#waiting.filter((one) => !which(one));
    this.#waiting.splice(0, Infinity, ...left);
    for (const { job } of taken) this.#waitingChars -= charsOf(job);
    return taken;
  }

  #endThread(): void {
    this.#running?.stopTimer();
    this.#running = undefined;
    const ended = this.#worker?.terminate();
    this.#worker = undefined;
    if (!ended) return;
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }
}

function charsOf({ schema, value }: ThreadJob): number {
  return schema.length + (value?.length ?? 0);
}
