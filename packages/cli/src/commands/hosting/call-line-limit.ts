/**
 * Limits the lines that `plugboard serve` shows about calls. Many clients can make thousands of calls per second, and
 * nobody can read a line for each. Calls beyond the limit are counted, and reported together. Failed calls have a limit
 * of their own, so that successful calls don't hide them.
 */
import { isFailedCall } from "@plugboard/contracts";
import type { HostEvent } from "@plugboard/contracts";

export interface MoreCalls {
  readonly calls: number;
  readonly failed: number;
}

/** The limit for failed calls, and also the limit for all other calls. */
const MAX_LINES = 20;
const PERIOD_MS = 1000;

export class CallLineLimit {
  readonly #report: (more: MoreCalls) => void;
  #lines = 0;
  #failedLines = 0;
  #calls = 0;
  #failed = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `report` at the end of each second in which calls got no line of their own. */
  constructor(report: (more: MoreCalls) => void) {
    this.#report = report;
  }

  /** Returns true if the call gets a line of its own. */
  admit(call: Extract<HostEvent, { readonly type: "call.ended" }>): boolean {
    this.#timer ??= setTimeout(() => this.flush(), PERIOD_MS).unref();
    const failed = isFailedCall(call);
    const lines = failed ? ++this.#failedLines : ++this.#lines;
    if (lines <= MAX_LINES) return true;
    this.#calls += 1;
    if (failed) this.#failed += 1;
    return false;
  }

  flush(): void {
    clearTimeout(this.#timer);
    const more = { calls: this.#calls, failed: this.#failed };
    this.#timer = undefined;
    this.#lines = this.#failedLines = this.#calls = this.#failed = 0;
    if (more.calls > 0) this.#report(more);
  }
}
