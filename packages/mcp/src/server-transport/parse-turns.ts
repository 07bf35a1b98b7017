/**
 * Parses the large messages of one principal one after another, with pauses in between. Parsing blocks the event loop,
 * so a client that sends many large messages at once would stall the others.
 */
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

/** Smaller messages are parsed at once. Parsing them takes less than a millisecond. */
const SMALL_BYTES = 64 * 1024;
/** The pause is this multiple of the parsing time, so that a principal's messages use at most a fifth of the time. */
const PAUSE_FACTOR = 4;

export class ParseTurns {
  readonly #clock: Clock;
  /** The end of the last pause of each principal that has large messages. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `parse` when it is the principal's turn. */
  parse<T>(principal: string, bytes: number, parse: () => T): T | Promise<T> {
    if (bytes < SMALL_BYTES) return parse();
    const before = this.#turns.get(principal) ?? Promise.resolve();
    const parsed = before.then(() => {
      const startedAt = steadyNow(this.#clock);
      const result = parse();
      return { result, tookMs: steadyNow(this.#clock) - startedAt };
    });
    const turn = parsed.then(
      ({ tookMs }) => this.#pause(tookMs * PAUSE_FACTOR),
      () => {},
    );
    this.#turns.set(principal, turn);
    void turn.then(() => {
      if (this.#turns.get(principal) === turn) this.#turns.delete(principal);
    });
    return parsed.then(({ result }) => result);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve, { background: true }));
  }
}
