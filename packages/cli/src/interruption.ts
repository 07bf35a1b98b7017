/** Ctrl-C and the signals that end a process: the first asks the command to stop, a second forces it. */
import { constants } from "node:os";
import { HostError } from "@plugboard/contracts";
import type { Surroundings } from "./surroundings.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof SIGNALS)[number];

const SAME_STOP_MS = 100;
const SAY_AFTER_MS = 200;
const FORCED_AFTER_MS = 1000;

export class Interruption {
  readonly #surroundings: Surroundings;
  readonly #asked = new AbortController();
  readonly #receive = (signal: Signal) => this.interrupt(signal);
  #first: { readonly by: Signal; readonly at: number } | undefined;
  #waiting: NodeJS.Timeout | undefined;
  /** Ends at once what is still being polite. */
  force: () => void = () => {};

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    for (const signal of SIGNALS) process.on(signal, this.#receive);
  }

  /** Fires when the command shall stop; its reason is for the servers to read. */
  get signal(): AbortSignal {
    return this.#asked.signal;
  }

  /** The exit status of a command that was interrupted, as a shell would see it. */
  get status(): number | undefined {
    return this.#first && 128 + constants.signals[this.#first.by];
  }

  interrupt(by: Signal = "SIGINT"): void {
    if (this.#first) {
      if (!isSameStop(this.#first.at)) this.#force();
      return;
    }
    const { stderr } = this.#surroundings;
    this.#first = { by, at: performance.now() };
    this.#waiting = setTimeout(() => stderr.write("Cancelling… (again to force)\n"), SAY_AFTER_MS);
    this.#asked.abort(by === "SIGINT" ? BY_USER : `interrupted by ${by}`);
  }

  stopListening(): void {
    clearTimeout(this.#waiting);
    for (const signal of SIGNALS) process.off(signal, this.#receive);
  }

  #force(): void {
    clearTimeout(this.#waiting);
    this.force();
    setTimeout(() => this.#surroundings.exit(this.status!), FORCED_AFTER_MS).unref();
  }
}

/** Returns true for a signal right after the first one, because npx and timeout deliver the same stop twice. */
export function isSameStop(firstAt: number): boolean {
  return performance.now() - firstAt < SAME_STOP_MS;
}

const BY_USER = "interrupted by the user";

/** The one line that an interrupted command ends with. */
export function interruptedError({ reason }: AbortSignal, what: "call" | "command", and = ""): HostError {
  const happened = reason === BY_USER ? `You interrupted the ${what}` : `The ${what} was ${String(reason)}`;
  return new HostError("CANCELLED", { reason: happened + and });
}

/** For what can't be told to stop: it is not waited for any longer. */
export function unlessInterrupted<T>(work: Promise<T>, interrupted: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(interruptedError(interrupted, "command"));
    if (interrupted.aborted) stop();
    interrupted.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => interrupted.removeEventListener("abort", stop));
  });
}
