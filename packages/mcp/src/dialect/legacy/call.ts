/**
 * One call to a legacy server, from request to result, with the questions that
 * the server asks in the middle. The server waits with the call open, so a
 * suspended call here is a pause in a live exchange.
 */
import { toHostError } from "@plugboard/contracts";
import type { LogEntry } from "@plugboard/contracts";
import type { Exchange } from "../../wire/exchange.ts";
import type { RequestId } from "../../wire/message.ts";
import { NO_ANSWER } from "../ask.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { isMoreVerbose } from "../read-log.ts";
import type { CallContext, InFlight } from "../session.ts";

type Respond = (id: RequestId, ask: Ask, answer: AskAnswer) => Promise<void>;

interface Open {
  readonly ask: Ask;
  readonly withdrawn: AbortController;
}

/** Most calls ask nothing, and need no map of their own for it. */
const NOTHING_ASKED: Map<RequestId, Open> = new Map();

export class LegacyCall implements InFlight {
  readonly op: Op;
  readonly caller: InFlight["caller"];

  readonly #exchange: Exchange;
  readonly #respond: Respond;
  readonly #ctx: CallContext;
  /** Asked and neither answered nor taken back, by the server's id. */
  #open = NOTHING_ASKED;
  #round: { readonly ids: readonly RequestId[]; readonly overtaken: AbortController } | undefined;
  #end: Outcome | undefined;
  #waiter: ((outcome: Outcome) => void) | undefined;
  #holds = 0;

  constructor(server: string, op: Op, ctx: CallContext, exchange: Exchange, respond: Respond) {
    this.op = op;
    this.caller = ctx.caller;
    this.#exchange = exchange;
    this.#respond = respond;
    this.#ctx = ctx;
    exchange.reply.then(
      (reply) => this.#finish(reply.ok ? { type: "complete", result: reply.result } : refused(server, op, reply.error)),
      (error: unknown) => this.#finish(failed(error)),
    );
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

  ask(id: RequestId, ask: Ask): void {
    const withdrawn = new AbortController();
    if (this.#open === NOTHING_ASKED) this.#open = new Map();
    this.#open.set(id, { ask: { ...ask, withdrawn: withdrawn.signal }, withdrawn });
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
    const { logLevel, onLog } = this.#ctx;
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
    const asked = [...this.#open].map(([id, { ask }], at) => ({ key: `ask-${at + 1}`, id, ask }));
    const overtaken = new AbortController();
    this.#round = { ids: asked.map(({ id }) => id), overtaken };
    return {
      type: "asks",
      asks: Object.fromEntries(asked.map(({ key, ask }) => [key, ask])),
      overtaken: overtaken.signal,
      resume: (answers, { signal }) => {
        this.#round = undefined;
        for (const { key, id, ask } of asked) {
          if (this.#close(id)) this.#answer(id, ask, answers[key] ?? NO_ANSWER);
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
    this.#end = outcome;
    // Refused for want of a session it never ran, and is sent again.
    if (outcome.type !== "failed" || outcome.error.code !== "SESSION_LOST") this.#ctx.onSettled?.();
    for (const [id, { ask }] of [...this.#open]) {
      this.#close(id);
      this.#answer(id, ask, NO_ANSWER);
    }
    this.#round?.overtaken.abort();
    this.#deliver();
  }

  /** A server that can't be given its answer will never finish: the call fails now. */
  #answer(id: RequestId, ask: Ask, answer: AskAnswer): void {
    this.#respond(id, ask, answer).catch((error: unknown) => this.#exchange.fail(toHostError(error)));
  }
}
