/** Counts the calls that a server has not finished: also one that waits for an answer, or a task that is followed. */
import type { Outcome, Suspended } from "../dialect/outcome.ts";

export class OpenCalls {
  readonly #onEnded: () => void;
  #count = 0;

  /** `onEnded` is called after each that ends. */
  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  get count(): number {
    return this.#count;
  }

  async during(running: Promise<Outcome>): Promise<Outcome> {
    this.#count += 1;
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

  /** A question that the server waits with is open; one that it has forgotten is not. */
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
    this.#count -= 1;
    this.#onEnded();
  }
}
