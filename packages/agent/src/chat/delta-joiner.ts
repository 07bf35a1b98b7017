/** Joins deltas that follow each other within a short time, so that a fast model does not flood its watchers. */
import type { ChatEvent } from "@plugboard/contracts";

/** Calls back after the delay. Returns the function that cancels it. */
export type After = (ms: number, callback: () => void) => () => void;

type Delta = Extract<ChatEvent, { type: "text.delta" | "reasoning.delta" }>;

const JOIN_MS = 40;

export class DeltaJoiner {
  readonly #after: After;
  readonly #emit: (event: ChatEvent) => void;
  #waiting: Delta | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(after: After, emit: (event: ChatEvent) => void) {
    this.#after = after;
    this.#emit = emit;
  }

  /** Holds a delta back for a short time. Emits any other event at once, after the deltas that were held back. */
  add(event: ChatEvent): void {
    if (event.type !== "text.delta" && event.type !== "reasoning.delta") {
      this.flush();
      return this.#emit(event);
    }
    if (this.#waiting && this.#waiting.type !== event.type) this.flush();
    this.#waiting = { type: event.type, text: (this.#waiting?.text ?? "") + event.text };
    this.#cancelTimer ??= this.#after(JOIN_MS, () => this.flush());
  }

  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#emit(waiting);
  }
}
