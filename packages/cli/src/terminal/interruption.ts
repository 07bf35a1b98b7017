/** Handles Ctrl-C and termination signals. The first signal asks the command to stop, the second forces it. */
import { setMaxListeners } from "node:events";
import { abortable, EXIT_STATUSES, cancelled } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import type { CliContext } from "./cli-context.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof SIGNALS)[number];

const DUPLICATE_SIGNAL_MS = 100;
const NOTICE_DELAY_MS = 200;
const FORCED_EXIT_DELAY_MS = 1000;

export class Interruption {
  readonly #cli: CliContext;
  readonly #notice: string;
  readonly #controller = new AbortController();
  readonly #onSignal = (signal: Signal) => this.interrupt(signal);
  #firstSignal: { readonly name: Signal; readonly receivedAt: number } | undefined;
  #noticeTimer: NodeJS.Timeout | undefined;
  /** Called on the second signal. Stops everything immediately. */
  force: () => void = () => {};

  /** `notice` says what the command does after the first signal. */
  constructor(cli: CliContext, { notice = "Cancelling…" }: { readonly notice?: string } = {}) {
    this.#cli = cli;
    this.#notice = notice;
    // A command may wait for any number of servers at the same time. Node would print a warning.
    setMaxListeners(0, this.#controller.signal);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Aborts when the command should stop. Servers receive the reason in the cancellation. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit status of an interrupted command. */
  get exitStatus(): number | undefined {
    return this.#firstSignal && EXIT_STATUSES[this.#firstSignal.name].status;
  }

  interrupt(signal: Signal = "SIGINT"): void {
    if (this.#firstSignal) {
      if (!isDuplicateSignal(this.#firstSignal.receivedAt)) this.#force();
      return;
    }
    const { stderr } = this.#cli;
    this.#firstSignal = { name: signal, receivedAt: performance.now() };
    this.#noticeTimer = setTimeout(() => stderr.write(`${this.#notice} (Ctrl-C again to force)\n`), NOTICE_DELAY_MS);
    this.#controller.abort(signal === "SIGINT" ? USER_INTERRUPT_REASON : `interrupted by ${signal}`);
  }

  stopListening(): void {
    clearTimeout(this.#noticeTimer);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #force(): void {
    clearTimeout(this.#noticeTimer);
    this.force();
    setTimeout(() => this.#cli.exit(this.exitStatus!), FORCED_EXIT_DELAY_MS).unref();
  }
}

/**
 * Returns true right after the first signal, because `npx` and `timeout` can deliver one signal twice. That is not a
 * second request of the user.
 */
export function isDuplicateSignal(firstSignalAt: number): boolean {
  return performance.now() - firstSignalAt < DUPLICATE_SIGNAL_MS;
}

const USER_INTERRUPT_REASON = "interrupted by the user";

/** Makes the CANCELLED error that an interrupted command prints. `suffix` continues its sentence. */
export function interruptedError({ reason }: AbortSignal, subject: "call" | "command", suffix = ""): HostError {
  const description =
    reason === USER_INTERRUPT_REASON ? `You interrupted the ${subject}` : `The ${subject} was ${String(reason)}`;
  return cancelled(description + suffix);
}

/** Waits for work that accepts no AbortSignal. Rejects as soon as the command is interrupted. */
export function rejectOnInterrupt<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return abortable(work, signal, () => interruptedError(signal, "command"));
}
