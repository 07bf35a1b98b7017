/**
 * Runs schema checks that may block, one at a time, in a worker thread. Terminates the thread if a check takes too
 * long, and starts a new thread for the waiting checks. An idle thread does not keep the process alive.
 */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { Worker } from "node:worker_threads";
import type { ResourceLimits } from "node:worker_threads";
import { PHASE_TIMEOUT_MS, WORKER_RESOURCE_LIMITS, MAX_QUEUED_CHARS, MAX_QUEUED_CHECKS } from "./check-limits.ts";
import type { Phase } from "./check-limits.ts";
import type { Problem } from "./check-result.ts";
import type { ThreadJob, ThreadReport } from "./check-worker.ts";

export type ThreadAnswer =
  | { readonly problems: readonly Problem[] | undefined }
  /** The schema can never be applied. */
  | { readonly unusable: string }
  /** The schema was not applied this time. */
  | { readonly unchecked: string };

interface QueuedCheck {
  readonly job: ThreadJob;
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: HostError) => void;
}

export class CheckThread {
  readonly #clock: Clock;
  readonly #resourceLimits: ResourceLimits;
  readonly #queue: QueuedCheck[] = [];
  readonly #terminating = new Set<Promise<unknown>>();
  #queuedChars = 0;
  #running: (QueuedCheck & { phase: Phase; stopTimer: () => void }) | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(clock: Clock, resourceLimits: ResourceLimits = WORKER_RESOURCE_LIMITS) {
    this.#clock = clock;
    this.#resourceLimits = resourceLimits;
  }

  check(job: ThreadJob): Promise<ThreadAnswer> {
    if (this.#closed) return Promise.reject(new HostError("HOST_CLOSED", {}));
    if (this.#queue.length >= MAX_QUEUED_CHECKS || this.#queuedChars > MAX_QUEUED_CHARS) {
      return Promise.resolve({ unchecked: "too many checks are waiting" });
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#queuedChars += jobChars(job);
      this.#runNext();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    this.#endThread();
    for (const one of [running, ...this.#removeFromQueue(() => true)]) one?.reject(new HostError("HOST_CLOSED", {}));
    await Promise.all(this.#terminating);
  }

  #runNext(): void {
    if (this.#running) return;
    const next = this.#queue.shift();
    if (!next) {
      this.#worker?.unref();
      return;
    }
    this.#queuedChars -= jobChars(next.job);
    const phase = this.#worker ? "compiling" : "starting";
    this.#worker ??= this.#start();
    this.#running = { ...next, phase, stopTimer: () => {} };
    this.#enterPhase(phase);
    this.#worker.ref();
    this.#worker.postMessage(next.job, []);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./check-worker.js", import.meta.url), {
      name: "schema checks",
      env: {},
      execArgv: [],
      resourceLimits: this.#resourceLimits,
    });
    const isCurrent = () => this.#worker === worker;
    worker.on("message", (report: ThreadReport) => {
      if (!isCurrent()) return;
      if ("phase" in report) this.#enterPhase(report.phase);
      else this.#settle(report);
    });
    worker.on("error", (error) => {
      if (isCurrent()) this.#fail(`the check failed (${error.name})`);
    });
    worker.on("exit", () => {
      if (isCurrent()) this.#fail("the check ended its thread");
    });
    return worker;
  }

  #enterPhase(phase: Phase): void {
    const running = this.#running;
    if (!running) return;
    running.stopTimer();
    running.phase = phase;
    running.stopTimer = this.#clock.after(PHASE_TIMEOUT_MS[phase], () =>
      this.#fail(`${phase} it takes longer than ${PHASE_TIMEOUT_MS[phase]} ms`),
    );
  }

  /** Ends the thread. Marks the schema as unusable, unless the thread did not even start. */
  #fail(reason: string): void {
    const started = this.#running?.phase !== "starting";
    const running = this.#running;
    this.#endThread();
    this.#answer(running, started ? { unusable: reason } : { unchecked: "the thread did not start" });
  }

  #settle(answer: ThreadAnswer): void {
    const running = this.#running;
    running?.stopTimer();
    this.#running = undefined;
    this.#answer(running, answer);
  }

  #answer(ended: QueuedCheck | undefined, answer: ThreadAnswer): void {
    ended?.resolve(answer);
    // Waiting checks of the same schema would end the thread again.
    if (ended && "unusable" in answer) {
      for (const one of this.#removeFromQueue(({ job }) => job.key === ended.job.key)) one.resolve(answer);
    }
    this.#runNext();
  }

  #removeFromQueue(matches: (one: QueuedCheck) => boolean): QueuedCheck[] {
    const taken = this.#queue.filter(matches);
    const left = this.#queue.filter((one) => !matches(one));
    this.#queue.splice(0, Infinity, ...left);
    for (const { job } of taken) this.#queuedChars -= jobChars(job);
    return taken;
  }

  #endThread(): void {
    this.#running?.stopTimer();
    this.#running = undefined;
    const ended = this.#worker?.terminate();
    this.#worker = undefined;
    if (!ended) return;
    this.#terminating.add(ended);
    void ended.finally(() => this.#terminating.delete(ended));
  }
}

function jobChars({ schema, value }: ThreadJob): number {
  return schema.length + value.length;
}
