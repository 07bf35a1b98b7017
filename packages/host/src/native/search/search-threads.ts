/**
 * Runs each search in a thread of its own, so that neither a large folder nor a slow regular expression blocks the
 * host. Ends the thread when the search takes too long, or when the call is cancelled.
 */
import { abortable, cancelled } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { Worker } from "node:worker_threads";
import type { SearchJob, SearchReport } from "./search-job.ts";

export interface SearchLimits {
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

export type FileSearchResult =
  | { readonly lines: readonly string[]; readonly notes: readonly string[] }
  | { readonly problem: string };

const TIMEOUT_MS = 20_000;
const MAX_CHARS = 40_000;
const MAX_THREADS = 4;

export class SearchThreads {
  readonly #limits: SearchLimits;
  readonly #running = new Set<Promise<unknown>>();

  constructor(limits: SearchLimits) {
    this.#limits = limits;
  }

  /** Waits while too many searches run. */
  async search(job: SearchJob, signal: AbortSignal | undefined): Promise<FileSearchResult> {
    while (this.#running.size >= MAX_THREADS) await abortable(Promise.race(this.#running), signal);
    const running = searchInThread(job, this.#limits, signal);
    const settled = running.then(ignore, ignore);
    this.#running.add(settled);
    try {
      return await running;
    } finally {
      this.#running.delete(settled);
    }
  }
}

function searchInThread(
  job: SearchJob,
  { clock, timeoutMs = TIMEOUT_MS }: SearchLimits,
  signal: AbortSignal | undefined,
): Promise<FileSearchResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./search-worker.js", import.meta.url), {
      name: "search",
      workerData: job,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const lines: string[] = [];
    let chars = 0;
    const end = (settle: () => void) => {
      stopTimer();
      signal?.removeEventListener("abort", onAbort);
      worker.removeAllListeners();
      // An error without a listener would end the process.
      worker.on("error", () => {});
      void worker.terminate().then(settle, settle);
    };
    const endWith = (result: FileSearchResult) => end(() => resolve(result));
    const stopTimer = clock.after(timeoutMs, () =>
      endWith({
        lines,
        notes: [`The search stopped after ${timeoutMs} ms. Use a simpler pattern or a smaller folder.`],
      }),
    );
    const onAbort = () => end(() => reject(cancelled()));
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    worker.on("message", (report: SearchReport) => {
      if ("problem" in report) return endWith(report);
      if ("notes" in report) return endWith({ lines, notes: report.notes });
      for (const line of report.lines) {
        chars += line.length + 1;
        if (chars > MAX_CHARS) return endWith({ lines, notes: ["There are more results. Use a narrower search."] });
        lines.push(line);
      }
    });
    worker.on("error", (error) => endWith({ problem: `The search failed: ${error.message}` }));
    worker.on("exit", () => endWith({ problem: "The search ended unexpectedly." }));
  });
}

function ignore(): void {}
