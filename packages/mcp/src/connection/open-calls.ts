/** Counts the calls that a server has not finished, including suspended calls and tasks that a caller follows. */
import type { Outcome, Suspended } from "../dialect/outcome.ts";

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

  async during(running: Promise<Outcome>): Promise<Outcome> {
    this.#count += 1;
    const outcome = await running;
    if (outcome.type === "asks") return this.#suspended(outcome);
    this.#ended();
    if (outcome.type !== "task") return outcome;
    // A task counts only while a caller follows it.
    const { task } = outcome;
    return {
      type: "task",
      task,
      follow: (ctx) => this.during(outcome.follow(ctx)),
      cancel: () => outcome.cancel(),
    };
  }

  /** Counts a suspended call as open if the server waits for the answer, not if it keeps no state. */
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
