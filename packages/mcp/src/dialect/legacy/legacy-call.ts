/**
 * One call to a legacy server, from request to result, with the questions that
 * the server asks in the middle. The server waits with the call open, so a
 * suspended call here is a pause in a live exchange.
 */
import { CALLER_CANCELLED, HostError } from "@plugboard/contracts";
import type { LogEntry, PeerError } from "@plugboard/contracts";
import type { ResponseHandler, OutgoingRequest, RpcResponse } from "../../wire/outgoing-request.ts";
import type { RequestId } from "../../wire/message.ts";
import { NO_ANSWER } from "../../session/ask.ts";
import type { Ask, AskAnswer } from "../../session/ask.ts";
import { failedOutcome } from "../../session/failed-outcome.ts";
import type { InteractiveOp } from "../../session/op.ts";
import type { Outcome, Suspended } from "../../session/outcome.ts";
import { isMoreVerbose } from "../../session/parse-log-entry.ts";
import type { CallContext, CallInFlight } from "../../session/session.ts";

/** What a call needs of the session it belongs to. */
export interface CallSession {
  readonly server: string;
  /** It has ended: by the server's answer, or because nobody waits any more. */
  onEnded(call: LegacyCall, answered: boolean): void;
  /** Rejects if the answer can't be delivered. */
  answer(pending: PendingAsk, answer: AskAnswer): Promise<void>;
  /** What the server's error makes of the call. */
  onPeerError(call: LegacyCall, error: PeerError): Outcome;
  /** Sends again what never ran, and tells that it is over in its stead; nothing for what may have run. */
  resend(call: LegacyCall, error: HostError): Promise<Outcome> | undefined;
}

/** A question of the server's, with what it takes to answer it. */
export interface PendingAsk {
  readonly id: RequestId;
  /** The request on whose own stream it came. */
  readonly relatedRequestId: RequestId | undefined;
  readonly ask: Ask;
}

interface OpenAsk extends PendingAsk {
  readonly withdrawal: AbortController;
}

/** Most calls ask nothing, and need no map of their own for it. */
const NO_ASKS: Map<RequestId, OpenAsk> = new Map();

export class LegacyCall implements CallInFlight, ResponseHandler {
  readonly op: InteractiveOp;
  readonly ctx: CallContext;

  readonly #request: OutgoingRequest;
  readonly #session: CallSession;
  /** Asked and neither answered nor taken back, by the server's id. */
  #open = NO_ASKS;
  #round: { readonly ids: readonly RequestId[]; readonly overtaken: AbortController } | undefined;
  #outcome: Outcome | undefined;
  #waiter: ((outcome: Outcome) => void) | undefined;
  #timeoutPauses = 0;

  constructor(session: CallSession, op: InteractiveOp, ctx: CallContext, request: OutgoingRequest) {
    this.op = op;
    this.ctx = ctx;
    this.#session = session;
    this.#request = request;
  }

  get id(): number {
    return this.#request.id;
  }

  get caller(): CallInFlight["caller"] {
    return this.ctx.caller;
  }

  onResponse(response: RpcResponse): void {
    this.#session.onEnded(this, true);
    this.#finish(
      response.ok ? { type: "complete", result: response.result } : this.#session.onPeerError(this, response.error),
    );
  }

  onError(error: HostError): void {
    this.#session.onEnded(this, false);
    const resent = this.#session.resend(this, error);
    if (resent) void this.#settleWith(resent);
    else this.#finish(failedOutcome(error));
  }

  /** Somebody still waits for it. The server may be at it longer than that. */
  get active(): boolean {
    return !this.#request.settled;
  }

  /** The end of the call, or the next thing it asks. */
  next(): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiter = resolve;
      this.#deliver();
    });
  }

  ask({ id, relatedRequestId, ask }: PendingAsk): void {
    // What is asked again under the same id takes the place of what was.
    this.withdraw(id);
    const withdrawal = new AbortController();
    if (this.#open === NO_ASKS) this.#open = new Map();
    this.#open.set(id, { id, relatedRequestId, ask: { ...ask, withdrawn: withdrawal.signal }, withdrawal });
    this.pauseTimeout();
    // Questions that arrive together are asked together.
    queueMicrotask(() => this.#deliver());
  }

  /** The server took a question back. Tells whether it was one of this call's. */
  withdraw(id: RequestId): boolean {
    const open = this.#open.get(id);
    if (!open) return false;
    this.#closeAsk(id);
    open.withdrawal.abort();
    if (this.#round?.ids.every((asked) => !this.#open.has(asked))) this.#round.overtaken.abort();
    return true;
  }

  /** The server's log, as far as it wanted to be told. */
  log(entry: LogEntry): void {
    const { logLevel, onLog } = this.ctx;
    if (logLevel !== undefined && !isMoreVerbose(entry.level, logLevel)) onLog?.(entry);
  }

  /** While a person is asked, the server's silence is not counted; the maximum goes on. */
  pauseTimeout(): void {
    this.#timeoutPauses += 1;
    this.#request.pauseTimeout();
  }

  resumeTimeout(): void {
    this.#timeoutPauses -= 1;
    if (this.#timeoutPauses === 0) this.#request.resumeTimeout();
  }

  #closeAsk(id: RequestId): boolean {
    const wasOpen = this.#open.delete(id);
    if (wasOpen) this.resumeTimeout();
    return wasOpen;
  }

  #deliver(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    const outcome = this.#outcome ?? (this.#open.size > 0 ? this.#suspend() : undefined);
    if (!outcome) return;
    this.#waiter = undefined;
    waiter(outcome);
  }

  #suspend(): Suspended {
    const asked = [...this.#open.values()].map((question, at) => ({ key: `ask-${at + 1}`, question }));
    const obsolete = new AbortController();
    this.#round = { ids: asked.map(({ question }) => question.id), overtaken: obsolete };
    return {
      type: "asks",
      asks: Object.fromEntries(asked.map(({ key, question }) => [key, question.ask])),
      obsolete: obsolete.signal,
      resume: (answers, { signal }) => {
        this.#round = undefined;
        for (const { key, question } of asked) {
          const isOpen = this.#open.get(question.id) === question;
          if (isOpen && this.#closeAsk(question.id)) this.#answer(question, answers[key] ?? NO_ANSWER);
        }
        return this.#nextOrAbort(signal);
      },
      abandon: (reason) => this.#request.cancel(reason),
    };
  }

  /** A call that was let go is resumed on behalf of another request, which may be given up in its turn. */
  async #nextOrAbort(signal: AbortSignal | undefined): Promise<Outcome> {
    const onAbort = () => this.#request.cancel(CALLER_CANCELLED);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.next();
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Whatever the server still asks has nobody to answer it now: it is told so. */
  #finish(outcome: Outcome): void {
    this.ctx.onSettled?.();
    for (const question of [...this.#open.values()]) {
      this.#closeAsk(question.id);
      this.#answer(question, NO_ANSWER);
    }
    this.#settle(outcome);
  }

  async #settleWith(resent: Promise<Outcome>): Promise<void> {
    this.#settle(await resent);
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#round?.overtaken.abort();
    this.#deliver();
  }

  /** A server that can't be given its answer will never finish: the call fails now. Whatever the reason, it has begun. */
  #answer(pending: PendingAsk, answer: AskAnswer): void {
    this.#session.answer(pending, answer).catch((cause: unknown) => {
      const reason = "what it asked could not be answered";
      this.#request.abort(
        reason,
        new HostError("CONNECTION_LOST", { server: this.#session.server, reason }, { cause }),
      );
    });
  }
}
