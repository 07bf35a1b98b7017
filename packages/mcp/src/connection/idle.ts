/** Notices that nobody uses a server: nothing is in flight, and nothing was for a while. */
import type { Clock } from "../clock.ts";
import type { Outcome, Suspended } from "../dialect/outcome.ts";

export interface IdleOptions {
  readonly clock: Clock;
  readonly afterMs: number;
  readonly onUnused: () => void;
}

export class IdleWatch {
  readonly #options: IdleOptions;
  #inUse = 0;
  #usedAt: number;
  #stopTimer: () => void;

  constructor(options: IdleOptions) {
    this.#options = options;
    this.#usedAt = options.clock.now();
    this.#stopTimer = options.clock.after(options.afterMs, () => this.#look(), true);
  }

  /** Counts a request as use until it has ended, be it after questions or as a task. */
  async during(running: Promise<Outcome>): Promise<Outcome> {
    this.#inUse += 1;
    const outcome = await running;
    if (outcome.type === "asks") return this.#suspended(outcome);
    this.#ended();
    if (outcome.type !== "task") return outcome;
    // Whether somebody cares for a task shows in its being followed.
    const { task } = outcome;
    return {
      type: "task",
      task,
      follow: (ctx) => this.during(outcome.follow(ctx)),
      cancel: () => outcome.cancel(),
    };
  }

  stop(): void {
    this.#stopTimer();
  }

  /** A question that the server waits with is use; one that it has forgotten is not. */
  #suspended(outcome: Suspended): Suspended {
    const { portable, overtaken } = outcome;
    let counted = true;
    const letGo = () => {
      if (counted) this.#ended();
      counted = false;
    };
    if (portable || overtaken.aborted) letGo();
    else overtaken.addEventListener("abort", letGo, { once: true });
    return {
      ...outcome,
      resume: (answers, ctx) => {
        const next = this.during(outcome.resume(answers, ctx));
        letGo();
        return next;
      },
      abandon: (reason) => {
        outcome.abandon(reason);
        letGo();
      },
    };
  }

  #ended(): void {
    this.#inUse -= 1;
    this.#usedAt = this.#options.clock.now();
  }

  /** One timer for all: what is used a thousand times a second is not to cost a timer each. */
  #look(): void {
    const { clock, afterMs, onUnused } = this.#options;
    const leftMs = this.#inUse > 0 ? afterMs : this.#usedAt + afterMs - clock.now();
    if (leftMs <= 0) return onUnused();
    this.#stopTimer = clock.after(leftMs, () => this.#look(), true);
  }
}
