/**
 * One call to a legacy server, from request to result, with the questions that
 * the server asks in the middle. The server waits with the call open, so a
 * suspended call here is a pause in a live exchange.
 */
import { toHostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Exchange } from "../../wire/exchange.ts";
import type { RequestId } from "../../wire/message.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { writeAnswer } from "../read-ask.ts";
import type { CallContext, InFlight } from "../session.ts";

type Respond = (id: RequestId, result: JsonObject) => Promise<void>;

export class LegacyCall implements InFlight {
  readonly op: Op;
  readonly caller: InFlight["caller"];

  readonly #exchange: Exchange;
  readonly #respond: Respond;
  /** Asked and neither answered nor taken back, by the server's id. */
  readonly #open = new Map<RequestId, Ask>();
  #round: { readonly ids: Map<string, RequestId>; readonly overtaken: AbortController } | undefined;
  #end: Outcome | undefined;
  #waiter: ((outcome: Outcome) => void) | undefined;

  constructor(server: string, op: Op, ctx: CallContext, exchange: Exchange, respond: Respond) {
    this.op = op;
    this.caller = ctx.caller;
    this.#exchange = exchange;
    this.#respond = respond;
    exchange.reply.then(
      (reply) => this.#finish(reply.ok ? { type: "complete", result: reply.result } : refused(server, op, reply.error)),
      (error: unknown) => this.#finish(failed(error)),
    );
  }

  /** No longer wanted, but the server may not know yet. */
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
    this.#open.set(id, ask);
    this.#exchange.hold();
    // Questions that arrive together are asked together.
    queueMicrotask(() => this.#deliver());
  }

  /** The server took a question back. Tells whether it was one of this call's. */
  withdraw(id: RequestId): boolean {
    if (!this.#open.delete(id)) return false;
    if (this.#open.size === 0) this.#exchange.unhold();
    if (this.#round && ![...this.#round.ids.values()].some((asked) => this.#open.has(asked))) {
      this.#round.overtaken.abort();
    }
    return true;
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
    const ids = new Map([...this.#open.keys()].map((id, at) => [`ask-${at + 1}`, id]));
    const asks = Object.fromEntries([...ids].map(([key, id]) => [key, this.#open.get(id)!]));
    const overtaken = new AbortController();
    this.#round = { ids, overtaken };
    return {
      type: "asks",
      asks,
      overtaken: overtaken.signal,
      resume: (answers, { signal }) => {
        this.#answerRound(ids, answers);
        signal?.addEventListener("abort", () => this.#exchange.cancel("the caller gave up"), { once: true });
        return this.next();
      },
      abandon: (reason) => this.#exchange.cancel(reason),
    };
  }

  #answerRound(ids: ReadonlyMap<string, RequestId>, answers: { readonly [key: string]: AskAnswer }): void {
    this.#round = undefined;
    for (const [key, id] of ids) {
      if (this.#open.delete(id)) this.#answer(id, answers[key] ?? { action: "cancel" });
    }
    if (this.#open.size === 0) this.#exchange.unhold();
  }

  /** Whatever the server still asks has nobody to answer it now: it is told so. */
  #finish(outcome: Outcome): void {
    this.#end = outcome;
    for (const id of this.#open.keys()) this.#answer(id, { action: "cancel" });
    this.#open.clear();
    this.#round?.overtaken.abort();
    this.#deliver();
  }

  /** A server that can't be given its answer will never finish: the call fails now. */
  #answer(id: RequestId, answer: AskAnswer): void {
    this.#respond(id, writeAnswer(answer)).catch((error: unknown) => this.#exchange.fail(toHostError(error)));
  }
}
