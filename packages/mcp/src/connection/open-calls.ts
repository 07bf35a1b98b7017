/** Counts the calls that a server has not finished, including suspended calls and tasks that a caller follows. */
import type { Outcome, Suspended } from "../session/outcome.ts";

export class OpenCalls {
  readonly #onEnded: () => void;
  #count = 0;

  /** Calls `onEnded` after each call that ends. */
  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  /** Stops counting a call, unless it is suspended. Returns the outcome that the caller gets. */
  settle(outcome: Outcome): Outcome {
    if (outcome.type === "asks") return this.#trackSuspended(outcome);
    this.#onCallEnded();
    if (outcome.type !== "task") return outcome;
    // A task counts only while a caller follows it.
    const { task } = outcome;
    return {
      type: "task",
      task,
      follow: (ctx) => this.track(outcome.follow(ctx)),
      cancel: () => outcome.cancel(),
    };
  }

  async track(request: Promise<Outcome>): Promise<Outcome> {
    this.begin();
    return this.settle(await request);
  }

  /** Counts a suspended call as open while the server waits for the answer. A portable call does not count. */
  #trackSuspended(outcome: Suspended): Suspended {
    const { portable, obsolete } = outcome;
    let counted = true;
    const release = () => {
      if (counted) this.#onCallEnded();
      counted = false;
    };
    if (portable || obsolete.aborted) release();
    else obsolete.addEventListener("abort", release, { once: true });
    return {
      ...outcome,
      resume: (answers, ctx) => {
        const next = this.track(outcome.resume(answers, ctx));
        release();
        return next;
      },
      abandon: (reason) => {
        outcome.abandon(reason);
        release();
      },
    };
  }

  #onCallEnded(): void {
    this.#count -= 1;
    this.#onEnded();
  }
}
