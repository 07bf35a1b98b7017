/**
 * Routes the requests of a legacy server to the calls they belong to. A request belongs to a call if it came on the
 * stream of that call, or if only one call is in flight. Otherwise it is unattributed. If calls of several clients are
 * in flight, the request waits until only the calls of one client are left. A request that names a task belongs only to
 * the caller that requests the result of this task.
 */
import { isPeerError, sameCaller } from "@plugboard/contracts";
import type { JsonObject, Clock } from "@plugboard/contracts";
import type { RequestId, RequestMessage } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { NO_ANSWER } from "../../session/ask.ts";
import type { AskAnswer } from "../../session/ask.ts";
import { parseAsk, toAskResponse } from "../../session/parse-ask.ts";
import type { CallInFlight, SessionPorts } from "../../session/session.ts";
import { LegacyCall } from "./legacy-call.ts";
import type { PendingAsk } from "./legacy-call.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import { ownersAmong } from "./question-owners.ts";
import { relatedTask, withoutRelatedTask, withRelatedTask } from "./task-form.ts";
import type { UrlVisits } from "./url-elicitation.ts";

export interface AskRouterOptions {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly headers: WireHeaders;
  readonly calls: CallsInFlight;
  readonly ports: SessionPorts;
  readonly visits: () => UrlVisits;
  /** Returns the tasks that the server may ask something for, though no request for their result is open. */
  readonly openTasks: () => readonly CallInFlight[];
  /** Called when the server has requested the roots without a call. `sent` resolves when the answer was sent. */
  readonly onRootsAnswered: (sent: Promise<void>) => void;
  /** Called when the server asks a question that does not come on the stream of a call. */
  readonly onAskedWithoutCall: () => void;
}

/** A question that did not come on the stream of a call. */
interface UnnamedAsk extends PendingAsk {
  /** The newest call that had been sent when the question came. */
  readonly newestId: number;
}

/**
 * How long an ambiguous request waits before a user who watches the inbox is asked instead. Longer than a cancelled
 * call is remembered, so that a cancelled call alone never causes this.
 */
const AMBIGUOUS_MS = 5000;
/**
 * How long a question of a task waits for a request for the result of the task. Longer than the pause between polls.
 */
const UNREQUESTED_MS = 120_000;

export class AskRouter {
  readonly #options: AskRouterOptions;
  readonly #unattributed = new Map<RequestId, AbortController>();
  /** Delivers the questions of tasks whose result nobody has requested yet. */
  readonly #unrequested = new Set<(call: LegacyCall, task: string) => void>();

  constructor(options: AskRouterOptions) {
    this.#options = options;
  }

  onRequest({ id, method, params = {} }: RequestMessage, relatedRequestId: RequestId | undefined): void {
    const { peer, headers, calls, ports, visits, onRootsAnswered } = this.#options;
    if (method === "ping") return void this.#respond(id, relatedRequestId, {});
    if (method === "roots/list" && ports.roots) {
      const sent = this.#respond(id, relatedRequestId, { roots: ports.roots().map((root) => ({ ...root })) });
      if (calls.pending.length === 0) onRootsAnswered(sent);
      return;
    }
    const task = relatedTask(params);
    const ask = parseAsk(method, withoutRelatedTask(params), { sampling: ports.sampling ?? false });
    if (isPeerError(ask)) return peer.respondWithError(id, ask, headers, relatedRequestId);
    const pending = { id, relatedRequestId, ask: visits().track(ask), task };
    if (relatedRequestId !== undefined) {
      const call = calls.get(relatedRequestId);
      // Without a call, the call of this stream has ended, and no other call can have caused the question.
      return call ? call.ask(pending) : void this.#routeUnattributed(pending, []);
    }
    if (task !== undefined) {
      const taskCall = calls.pending.find(({ op }) => isResultOf(op, task));
      return taskCall ? taskCall.ask(pending) : this.#waitForResultRequest(pending);
    }
    this.#options.onAskedWithoutCall();
    const unnamed = { ...pending, newestId: calls.newestId };
    const owners = ownersAmong(this.#mayHaveAsked(unnamed.newestId));
    if (owners) this.#routeToOwner(unnamed, owners);
    else this.#waitForOwner(unnamed);
  }

  /** Called when the result of a task is requested. */
  onResultRequested(call: LegacyCall, task: string): void {
    for (const deliver of this.#unrequested) deliver(call, task);
  }

  /** Moves a question that named no call to another call of the same caller, because its call has ended. */
  askAgain(pending: PendingAsk, { caller }: LegacyCall): boolean {
    const { newestId } = pending;
    if (newestId === undefined) return false;
    const others = this.#options.calls.sentUntil(newestId).filter((call) => sameCaller(call.caller, caller));
    const owners = others.some(({ active }) => active) && ownersAmong(others);
    if (!owners) return false;
    this.#routeToOwner(pending, owners);
    return true;
  }

  /** Rejects if the answer cannot be delivered. */
  async answer({ id, relatedRequestId, ask, task }: PendingAsk, answer: AskAnswer): Promise<void> {
    const { peer, headers } = this.#options;
    const response = toAskResponse(ask, answer);
    if ("error" in response) peer.respondWithError(id, response.error, headers, relatedRequestId);
    else {
      const result = task === undefined ? response.result : withRelatedTask(response.result, task);
      await peer.respond(id, result, headers, relatedRequestId);
    }
  }

  onCancelled(id: RequestId, relatedRequestId: RequestId | undefined): void {
    const { peer, calls } = this.#options;
    peer.forget(id, relatedRequestId);
    this.#unattributed.get(id)?.abort();
    for (const call of calls.pending) if (call.withdraw(id)) return;
  }

  onClosed(): void {
    for (const request of this.#unattributed.values()) request.abort();
  }

  #routeToOwner(pending: PendingAsk, owners: readonly CallInFlight[], withdrawn?: AbortController): void {
    const [only] = owners;
    if (owners.length !== 1 || !(only instanceof LegacyCall)) {
      this.#routeUnattributed(pending, owners, withdrawn);
      return;
    }
    if (withdrawn) this.#untrack(pending.id, withdrawn);
    only.ask(pending);
  }

  /** Returns the calls and tasks that may have caused a question. A call sent after the question can't. */
  #mayHaveAsked(newestId: number): CallInFlight[] {
    const inFlight = this.#options.calls.sentUntil(newestId);
    const tasks = this.#options.openTasks().filter(({ op }) => !inFlight.some((call) => isSameResult(call.op, op)));
    return [...tasks, ...inFlight];
  }

  /** Answers `cancel` if nobody requests the result of the task. No other caller may see the question. */
  #waitForResultRequest(pending: PendingAsk): void {
    const withdrawn = this.#trackUnattributed(pending.id);
    const stop = () => {
      cancelDeadline();
      this.#unrequested.delete(deliver);
      withdrawn.signal.removeEventListener("abort", stop);
      this.#untrack(pending.id, withdrawn);
    };
    const deliver = (call: LegacyCall, task: string) => {
      if (task !== pending.task) return;
      stop();
      call.ask(pending);
    };
    const cancelDeadline = this.#options.clock.after(UNREQUESTED_MS, () => {
      stop();
      this.#answerUnasked(pending);
    });
    this.#unrequested.add(deliver);
    withdrawn.signal.addEventListener("abort", stop);
  }

  /** Answers a question that no call waits for. The peer counts a failure to send. */
  #answerUnasked(pending: PendingAsk, answer: AskAnswer = NO_ANSWER): void {
    this.answer(pending, answer).catch(() => {});
  }

  /**
   * Waits until the calls of all clients but one have ended. Waits only briefly for tasks, which may take hours. Then
   * answers `cancel` if a task of another client may have asked.
   */
  #waitForOwner(pending: UnnamedAsk): void {
    const { calls, clock } = this.#options;
    const { newestId } = pending;
    const withdrawn = this.#trackUnattributed(pending.id);
    const candidates = calls.pending.toSorted((a, b) => a.id - b.id);
    const paused = new Set(candidates);
    for (const call of paused) call.pauseTimeout();
    let isLate = false;
    let cancelExpiry = () => {};
    const stop = () => {
      cancelExpiry();
      cancelDeadline();
      stopListening();
      withdrawn.signal.removeEventListener("abort", check);
      for (const call of paused) call.resumeTimeout();
    };
    const check = () => {
      cancelExpiry();
      if (withdrawn.signal.aborted) {
        stop();
        return this.#untrack(pending.id, withdrawn);
      }
      const owners = ownersAmong(this.#mayHaveAsked(newestId));
      if (owners) {
        stop();
        return this.#routeToOwner(pending, owners, withdrawn);
      }
      if (isLate && ownersAmong(calls.sentUntil(newestId).filter(({ op }) => op.method !== "tasks/result"))) {
        stop();
        this.#untrack(pending.id, withdrawn);
        return this.#answerUnasked(pending);
      }
      // The timeout of the oldest call runs again, so that a call that hangs ends. The next call follows.
      const oldest = isLate ? candidates.find(({ active }) => active) : undefined;
      if (oldest && paused.delete(oldest)) oldest.resumeTimeout();
      const expiryMs = calls.nextExpiryMs;
      if (expiryMs !== undefined) cancelExpiry = clock.after(expiryMs, check);
    };
    const stopListening = calls.onChange(check);
    const cancelDeadline = clock.after(AMBIGUOUS_MS, () => {
      isLate = true;
      const inFlight = this.#mayHaveAsked(newestId);
      const isRouted = !ownersAmong(inFlight) && this.#routeUnattributed(pending, inFlight, withdrawn);
      if (isRouted) stop();
      else check();
    });
    withdrawn.signal.addEventListener("abort", check);
    check();
  }

  /** Returns false if nobody can be asked yet. */
  #routeUnattributed(
    pending: PendingAsk,
    inFlight: readonly CallInFlight[],
    withdrawn = this.#trackUnattributed(pending.id),
  ): boolean {
    const { id, ask } = pending;
    const routed = this.#options.ports.onUnattributedRequest(ask, inFlight, withdrawn.signal);
    if (!routed) return false;
    if (routed instanceof LegacyCall) {
      this.#untrack(id, withdrawn);
      routed.ask(pending);
      return true;
    }
    const resumeTimeouts = pauseTimeouts(this.#options.calls.pending);
    const answered = (routed as Promise<AskAnswer>).catch(() => NO_ANSWER);
    void answered.then((answer) => {
      resumeTimeouts();
      this.#untrack(id, withdrawn);
      if (!withdrawn.signal.aborted) this.#answerUnasked(pending, answer);
    });
    return true;
  }

  /** Returns the controller that aborts if the server cancels the request or reuses its id. */
  #trackUnattributed(id: RequestId): AbortController {
    this.#unattributed.get(id)?.abort();
    const withdrawn = new AbortController();
    this.#unattributed.set(id, withdrawn);
    return withdrawn;
  }

  #untrack(id: RequestId, withdrawn: AbortController): void {
    if (this.#unattributed.get(id) === withdrawn) this.#unattributed.delete(id);
  }

  /** Never rejects. The peer records a failure to send in its counters. */
  #respond(id: RequestId, relatedRequestId: RequestId | undefined, result: JsonObject): Promise<void> {
    const { peer, headers } = this.#options;
    return peer.respond(id, result, headers, relatedRequestId).catch(() => {});
  }
}

function isResultOf(op: CallInFlight["op"], task: string): boolean {
  return op.method === "tasks/result" && op.params.taskId === task;
}

function isSameResult(a: CallInFlight["op"], b: CallInFlight["op"]): boolean {
  return b.method === "tasks/result" && isResultOf(a, b.params.taskId);
}

/** Pauses the timeouts of calls that may wait for an answer. Returns the function that resumes them. */
function pauseTimeouts(calls: readonly LegacyCall[]): () => void {
  for (const call of calls) call.pauseTimeout();
  return () => {
    for (const call of calls) call.resumeTimeout();
  };
}
