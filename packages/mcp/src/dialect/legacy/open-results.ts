/**
 * The open `tasks/result` requests of a legacy session. While such a request is open, the server asks the questions of
 * its task. The requests outlive the polls that open them, so each client may have only a few. Keeps no results: the
 * result of an ended task is requested again.
 */
import { accountOf, isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { AskAnswer, AskAnswers } from "../../session/ask.ts";
import type { Op } from "../../session/op.ts";
import type { Outcome, Suspended } from "../../session/outcome.ts";
import { askMethod, parseAskAnswer } from "../../session/parse-ask.ts";
import type { CallContext } from "../../session/session.ts";
import { taskLifetime } from "./open-tasks.ts";

/** An open `tasks/result` request: its end, or the questions that it waits for. */
export interface OpenResult {
  readonly account: string;
  readonly closing: AbortController;
  next: Promise<Outcome>;
  /** Undefined until `next` has settled. */
  outcome: Outcome | undefined;
  /** Counts the rounds of questions, because each needs keys of its own. */
  round: number;
  /** The answers of this round so far. */
  answers: { [key: string]: AskAnswer };
}

/** A client with more waiting tasks is asked about the others later. */
const MAX_PER_ACCOUNT = 16;
/** A small part of the requests that a connection may have open. The rest is for calls. */
const MAX_OPEN = 256;

export class OpenResults {
  readonly #send: (op: Op, ctx: CallContext) => Promise<Outcome>;
  readonly #results = new Map<string, OpenResult>();

  constructor(send: (op: Op, ctx: CallContext) => Promise<Outcome>) {
    this.#send = send;
  }

  get(taskId: string): OpenResult | undefined {
    return this.#results.get(taskId);
  }

  /** Returns undefined if too many requests are open. The request ends with the `ttl` of the task. */
  open(taskId: string, { ttlMs }: JsonObject, ctx: CallContext): OpenResult | undefined {
    const { caller, client, elicitation, sampling } = ctx;
    const account = accountOf(caller);
    const ofAccount = [...this.#results.values()].filter((open) => open.account === account);
    if (ofAccount.length >= MAX_PER_ACCOUNT || this.#results.size >= MAX_OPEN) return undefined;
    const closing = new AbortController();
    const maxMs = taskLifetime(ttlMs);
    const next = this.#send(
      { method: "tasks/result", params: { taskId } },
      { caller, client, elicitation, sampling, signal: closing.signal, timeoutMs: maxMs, maxMs },
    );
    const open: OpenResult = { account, closing, next, outcome: undefined, round: 0, answers: {} };
    this.#results.set(taskId, open);
    this.#await(taskId, open);
    return open;
  }

  /** Removes and returns the open request. The calling code has to close it. */
  take(taskId: string): OpenResult | undefined {
    const open = this.#results.get(taskId);
    this.#results.delete(taskId);
    return open;
  }

  /** Sends the answers when all questions of the round have one. Ignores answers to other questions. */
  answer(taskId: string, inputResponses: JsonObject): void {
    const open = this.#results.get(taskId);
    const suspended = open?.outcome;
    if (!open || suspended?.type !== "asks") return;
    const keys = Object.keys(suspended.asks);
    for (const key of keys) {
      const response = inputResponses[keyInRound(key, open.round)];
      if (isJsonObject(response)) open.answers[key] = parseAskAnswer(response);
    }
    if (keys.every((key) => open.answers[key])) this.#resume(taskId, open, suspended, open.answers);
  }

  #resume(taskId: string, open: OpenResult, suspended: Suspended, answers: AskAnswers): void {
    open.next = suspended.resume(answers, {});
    Object.assign(open, { outcome: undefined, round: open.round + 1, answers: {} });
    this.#await(taskId, open);
  }

  #await(taskId: string, open: OpenResult): void {
    void open.next.then((outcome) => {
      open.outcome = outcome;
      if (outcome.type !== "asks") {
        if (this.#results.get(taskId) === open) this.#results.delete(taskId);
        return;
      }
      // The server has withdrawn its questions, or the request has ended.
      const onObsolete = () => {
        if (open.outcome === outcome) this.#resume(taskId, open, outcome, {});
      };
      if (outcome.obsolete.aborted) onObsolete();
      else outcome.obsolete.addEventListener("abort", onObsolete, { once: true });
    });
  }
}

/** Returns the questions of the open request in the form of the extension. Undefined if it asks nothing. */
export function inputRequestsOf({ outcome, round }: OpenResult): JsonObject | undefined {
  if (outcome?.type !== "asks") return undefined;
  const requests = Object.entries(outcome.asks).map(([key, ask]) => [
    keyInRound(key, round),
    { method: askMethod(ask), params: ask.rawParams },
  ]);
  return Object.fromEntries(requests) as JsonObject;
}

function keyInRound(key: string, round: number): string {
  return `${key}-${round + 1}`;
}
