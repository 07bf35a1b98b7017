/**
 * One call to a legacy server, with the questions that the server asks before it answers. The request stays open while
 * the call is suspended.
 */
import { CALLER_CANCELLED, HostError } from "@plugboard/contracts";
import type { LogEntry, PeerError, CancelSignal } from "@plugboard/contracts";
import type { ResponseHandler, OutgoingRequest, RpcResponse } from "../../wire/outgoing-request.ts";
import type { RequestId } from "../../wire/message.ts";
import { NO_ANSWER } from "../../session/ask.ts";
import type { Ask, AskAnswer } from "../../session/ask.ts";
import type { InteractiveOp } from "../../session/op.ts";
import { failedOutcome } from "../../session/outcome.ts";
import type { LiveAsks, Outcome, Suspended } from "../../session/outcome.ts";
import { isMoreVerbose } from "../../session/parse-log-entry.ts";
import type { CallContext, CallInFlight } from "../../session/session.ts";

/** The part of a session that a call uses. */
export interface CallSession {
  readonly server: string;
  /** Called when the call ends. `answered` is false if it ended without a response. */
  onEnded(call: LegacyCall, end: { readonly answered: boolean }): void;
  /** Rejects if the answer cannot be delivered. */
  answer(pending: PendingAsk, answer: AskAnswer): Promise<void>;
  /** Moves a question of an ended call to another call that it may belong to. Returns false if there is none. */
  askAgain(pending: PendingAsk, ended: LegacyCall): boolean;
  /** Converts the server's error response into an outcome. */
  onPeerError(call: LegacyCall, error: PeerError): Outcome;
  /** Sends the call again if the server rejected it before it ran, and returns its outcome. Otherwise undefined. */
  resend(call: LegacyCall, error: HostError): Promise<Outcome> | undefined;
}

/** A question of the server, with the ids that its answer needs. */
export interface PendingAsk {
  readonly id: RequestId;
  /** The request on whose stream the question came. */
  readonly relatedRequestId: RequestId | undefined;
  /** The newest call that had been sent when a question without a stream came. A later one can't have caused it. */
  readonly newestId?: number | undefined;
  readonly ask: Ask;
  /** The task that the question belongs to. */
  readonly task?: string | undefined;
}

interface OpenAsk extends PendingAsk {
  readonly withdrawal: AbortController;
}

/** The questions of a suspended outcome. */
interface Round {
  /** The questions by key, including those that were asked while the call was suspended. */
  readonly asked: Map<string, OpenAsk>;
  /** Aborts when no answer is needed any more: the call has ended, or all questions are withdrawn. */
  readonly obsolete: AbortController;
  /** Set while the receiver of the outcome accepts further questions. */
  onAsk: Parameters<LiveAsks["onAsk"]>[0] | undefined;
}

/** Shared by all calls without questions, so that most calls need no map. */
const NO_ASKS: Map<RequestId, OpenAsk> = new Map();

export class LegacyCall implements CallInFlight, ResponseHandler {
  readonly op: InteractiveOp;
  readonly ctx: CallContext;

  readonly #request: OutgoingRequest;
  readonly #session: CallSession;
  /** The open questions, by the server's id. */
  #openAsks = NO_ASKS;
  /** Undefined unless the call is suspended. */
  #round: Round | undefined;
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

  get client(): CallInFlight["client"] {
    return this.ctx.client;
  }

  get mayAsk(): CallInFlight["mayAsk"] {
    return this.ctx.mayAsk;
  }

  get isAsking(): boolean {
    return this.#openAsks.size > 0;
  }

  onResponse(response: RpcResponse): void {
    this.#session.onEnded(this, { answered: true });
    this.#finish(
      response.ok ? { type: "complete", result: response.result } : this.#session.onPeerError(this, response.error),
    );
  }

  onError(error: HostError): void {
    this.#session.onEnded(this, { answered: false });
    const resent = this.#session.resend(this, error);
    if (resent) void this.#settleWith(resent);
    else this.#finish(failedOutcome(error));
  }

  /** False once no caller waits for the call. The server may still work on it. */
  get active(): boolean {
    return !this.#request.settled;
  }

  /** Resolves with the end of the call or with its next questions. */
  next(): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiter = resolve;
      this.#deliver();
    });
  }

  ask(pending: PendingAsk): void {
    const { id, ask } = pending;
    // A new question replaces an open one with the same id.
    this.withdraw(id);
    const withdrawal = new AbortController();
    if (this.#openAsks === NO_ASKS) this.#openAsks = new Map();
    const openAsk = { ...pending, ask: { ...ask, withdrawn: withdrawal.signal }, withdrawal };
    this.#openAsks.set(id, openAsk);
    this.pauseTimeout();
    if (this.#round) return this.#join(this.#round, openAsk);
    // Waits a moment, so that questions that arrive together are asked together.
    queueMicrotask(() => this.#deliver());
  }

  /** Called when the server cancels a question. Returns false if the question does not belong to this call. */
  withdraw(id: RequestId): boolean {
    const openAsk = this.#openAsks.get(id);
    if (!openAsk) return false;
    this.#closeAsk(id);
    openAsk.withdrawal.abort();
    const round = this.#round;
    if (round && [...round.asked.values()].every((asked) => !this.#openAsks.has(asked.id))) round.obsolete.abort();
    return true;
  }

  /** Passes on a log entry if the caller wants entries of its level. */
  log(entry: LogEntry): void {
    const { logLevel, onLog } = this.ctx;
    if (logLevel !== undefined && !isMoreVerbose(entry.level, logLevel)) onLog?.(entry);
  }

  /** Pauses the timeout while the user is asked. The timeout of the whole call keeps running. */
  pauseTimeout(): void {
    this.#timeoutPauses += 1;
    this.#request.pauseTimeout();
  }

  resumeTimeout(): void {
    this.#timeoutPauses -= 1;
    if (this.#timeoutPauses === 0) this.#request.resumeTimeout();
  }

  #closeAsk(id: RequestId): boolean {
    const wasOpen = this.#openAsks.delete(id);
    if (wasOpen) this.resumeTimeout();
    return wasOpen;
  }

  #deliver(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    const outcome = this.#outcome ?? (this.#openAsks.size > 0 ? this.#suspend() : undefined);
    if (!outcome) return;
    this.#waiter = undefined;
    waiter(outcome);
  }

  #suspend(): Suspended {
    const round: Round = { asked: new Map(), obsolete: new AbortController(), onAsk: undefined };
    for (const openAsk of this.#openAsks.values()) round.asked.set(nextKey(round), openAsk);
    this.#round = round;
    return {
      type: "asks",
      asks: Object.fromEntries([...round.asked].map(([key, { ask }]) => [key, ask])),
      obsolete: round.obsolete.signal,
      live: {
        onAsk: (listener) => {
          round.onAsk = listener;
          const known = new Set(round.asked.values());
          for (const openAsk of [...this.#openAsks.values()]) if (!known.has(openAsk)) this.#join(round, openAsk);
          return () => void (round.onAsk = undefined);
        },
        answer: (key, answer) => this.#answerOnce(round.asked.get(key)!, answer),
      },
      resume: (answers, { signal }) => {
        this.#round = undefined;
        for (const [key, question] of round.asked) this.#answerOnce(question, answers[key] ?? NO_ANSWER);
        return this.#nextOrAbort(signal);
      },
      abandon: (reason) => this.#request.cancel(reason),
    };
  }

  /**
   * Adds a question to the suspended outcome if its receiver takes it. Otherwise it waits for the next such outcome.
   */
  #join(round: Round, openAsk: OpenAsk): void {
    if (!round.onAsk || round.obsolete.signal.aborted) return;
    const key = nextKey(round);
    round.asked.set(key, openAsk);
    if (!round.onAsk(key, openAsk.ask)) round.asked.delete(key);
  }

  /** Does nothing if the question is answered or withdrawn. */
  #answerOnce(question: OpenAsk, answer: AskAnswer): void {
    const isOpen = this.#openAsks.get(question.id) === question;
    if (isOpen && this.#closeAsk(question.id)) this.#answer(question, answer);
  }

  /** Cancels the call if the signal of the resuming request aborts. */
  async #nextOrAbort(signal: CancelSignal | undefined): Promise<Outcome> {
    const onAbort = () => this.#request.cancel(CALLER_CANCELLED);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.next();
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Moves each open question to another call that it may belong to. If there is none, it is answered with `cancel`. */
  #finish(outcome: Outcome): void {
    this.ctx.onSettled?.(outcome.type === "complete" && outcome.result["isError"] !== true);
    for (const question of [...this.#openAsks.values()]) {
      this.#closeAsk(question.id);
      if (!this.#session.askAgain(question, this)) this.#answer(question, NO_ANSWER);
    }
    this.#settle(outcome);
  }

  async #settleWith(resent: Promise<Outcome>): Promise<void> {
    this.#settle(await resent);
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#round?.obsolete.abort();
    this.#deliver();
  }

  /** Fails the call if the answer cannot be delivered, because the server would wait forever. */
  #answer(pending: PendingAsk, answer: AskAnswer): void {
    this.#session.answer(pending, answer).catch((cause: unknown) => {
      const reason = "the answer to its question could not be delivered";
      this.#request.abort(
        reason,
        new HostError("CONNECTION_LOST", { server: this.#session.server, reason }, { cause }),
      );
    });
  }
}

function nextKey({ asked }: Round): string {
  return `ask-${asked.size + 1}`;
}
