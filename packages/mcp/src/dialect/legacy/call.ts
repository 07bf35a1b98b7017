/**
 * One call to a legacy server, from request to result, with the questions that
 * the server asks in the middle. The server waits with the call open, so a
 * suspended call here is a pause in a live exchange.
 */
import { HostError } from "@plugboard/contracts";
import type { LogEntry, PeerError } from "@plugboard/contracts";
import type { Ending, Exchange, Reply } from "../../wire/exchange.ts";
import type { RequestId } from "../../wire/message.ts";
import { NO_ANSWER } from "../ask.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import { failed } from "../failure.ts";
import type { AskingOp } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { isMoreVerbose } from "../read-log.ts";
import type { CallContext, InFlight } from "../session.ts";

/** What a call needs of the session it belongs to. */
export interface CallHome {
  readonly server: string;
  /** It has ended: by the server's answer, or because nobody waits any more. */
  ended(call: LegacyCall, answered: boolean): void;
  /** Rejects if the answer can't be delivered. */
  answer(question: Question, answer: AskAnswer): Promise<void>;
  /** What the server's error makes of the call. */
  refused(call: LegacyCall, error: PeerError): Outcome;
  /** Sends again what never ran, and tells that it is over in its stead; nothing for what may have run. */
  again(call: LegacyCall, error: HostError): Promise<Outcome> | undefined;
}

/** A question of the server's, with what it takes to answer it. */
export interface Question {
  readonly id: RequestId;
  /** The request on whose own stream it came. */
  readonly via: RequestId | undefined;
  readonly ask: Ask;
}

interface Open extends Question {
  readonly withdrawn: AbortController;
}

/** Most calls ask nothing, and need no map of their own for it. */
const NOTHING_ASKED: Map<RequestId, Open> = new Map();

export class LegacyCall implements InFlight, Ending {
  readonly op: AskingOp;
  readonly ctx: CallContext;

  readonly #exchange: Exchange;
  readonly #home: CallHome;
  /** Asked and neither answered nor taken back, by the server's id. */
  #open = NOTHING_ASKED;
  #round: { readonly ids: readonly RequestId[]; readonly overtaken: AbortController } | undefined;
  #end: Outcome | undefined;
  #waiter: ((outcome: Outcome) => void) | undefined;
  #holds = 0;

  constructor(home: CallHome, op: AskingOp, ctx: CallContext, exchange: Exchange) {
    this.op = op;
    this.ctx = ctx;
    this.#home = home;
    this.#exchange = exchange;
  }

  get id(): number {
    return this.#exchange.id;
  }

  get caller(): InFlight["caller"] {
    return this.ctx.caller;
  }

  answered(reply: Reply): void {
    this.#home.ended(this, true);
    this.#finish(reply.ok ? { type: "complete", result: reply.result } : this.#home.refused(this, reply.error));
  }

  failed(error: HostError): void {
    this.#home.ended(this, false);
    const again = this.#home.again(this, error);
    if (again) void this.#goOn(again);
    else this.#finish(failed(error));
  }

  /** Somebody still waits for it. The server may be at it longer than that. */
  get live(): boolean {
    return !this.#exchange.settled;
  }

  /** The end of the call, or the next thing it asks. */
  next(): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiter = resolve;
      this.#deliver();
    });
  }

  ask({ id, via, ask }: Question): void {
    // What is asked again under the same id takes the place of what was.
    this.withdraw(id);
    const withdrawn = new AbortController();
    if (this.#open === NOTHING_ASKED) this.#open = new Map();
    this.#open.set(id, { id, via, ask: { ...ask, withdrawn: withdrawn.signal }, withdrawn });
    this.hold();
    // Questions that arrive together are asked together.
    queueMicrotask(() => this.#deliver());
  }

  /** The server took a question back. Tells whether it was one of this call's. */
  withdraw(id: RequestId): boolean {
    const open = this.#open.get(id);
    if (!open) return false;
    this.#close(id);
    open.withdrawn.abort();
    if (this.#round?.ids.every((asked) => !this.#open.has(asked))) this.#round.overtaken.abort();
    return true;
  }

  /** The server's log, as far as it wanted to be told. */
  log(entry: LogEntry): void {
    const { logLevel, onLog } = this.ctx;
    if (logLevel !== undefined && !isMoreVerbose(entry.level, logLevel)) onLog?.(entry);
  }

  /** While a person is asked, the server's silence is not counted; the maximum goes on. */
  hold(): void {
    this.#holds += 1;
    this.#exchange.hold();
  }

  unhold(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#exchange.unhold();
  }

  #close(id: RequestId): boolean {
    const was = this.#open.delete(id);
    if (was) this.unhold();
    return was;
  }

  #deliver(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    const outcome = this.#end ?? (this.#open.size > 0 ? this.#suspend() : undefined);
    if (!outcome) return;
    this.#waiter = undefined;
    waiter(outcome);
  }

  #suspend(): Suspended {
    const asked = [...this.#open.values()].map((question, at) => ({ key: `ask-${at + 1}`, question }));
    const overtaken = new AbortController();
    this.#round = { ids: asked.map(({ question }) => question.id), overtaken };
    return {
      type: "asks",
      asks: Object.fromEntries(asked.map(({ key, question }) => [key, question.ask])),
      overtaken: overtaken.signal,
      resume: (answers, { signal }) => {
        this.#round = undefined;
        for (const { key, question } of asked) {
          const isOpen = this.#open.get(question.id) === question;
          if (isOpen && this.#close(question.id)) this.#answer(question, answers[key] ?? NO_ANSWER);
        }
        return this.#nextUnless(signal);
      },
      abandon: (reason) => this.#exchange.cancel(reason),
    };
  }

  /** A call that was let go is resumed on behalf of another request, which may be given up in its turn. */
  async #nextUnless(signal: AbortSignal | undefined): Promise<Outcome> {
    const giveUp = () => this.#exchange.cancel("the caller gave up");
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await this.next();
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Whatever the server still asks has nobody to answer it now: it is told so. */
  #finish(outcome: Outcome): void {
    this.ctx.onSettled?.();
    for (const question of [...this.#open.values()]) {
      this.#close(question.id);
      this.#answer(question, NO_ANSWER);
    }
    this.#conclude(outcome);
  }

  async #goOn(again: Promise<Outcome>): Promise<void> {
    this.#conclude(await again);
  }

  #conclude(outcome: Outcome): void {
    this.#end = outcome;
    this.#round?.overtaken.abort();
    this.#deliver();
  }

  /** A server that can't be given its answer will never finish: the call fails now. Whatever the reason, it has begun. */
  #answer(question: Question, answer: AskAnswer): void {
    this.#home.answer(question, answer).catch((cause: unknown) => {
      const reason = "what it asked could not be answered";
      this.#exchange.giveUp(reason, new HostError("CONNECTION_LOST", { server: this.#home.server, reason }, { cause }));
    });
  }
}
