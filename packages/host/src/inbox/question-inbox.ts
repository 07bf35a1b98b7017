/**
 * Where questions wait for a person. Each has an owner and a deadline and is
 * settled exactly once: by an answer, by being dismissed, by its deadline, or
 * by being withdrawn because what it was about has gone on.
 */
import { HostError, Listeners, sameCaller } from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, Question, QuestionOwner, Settlement } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { checkAnswer } from "./check-answer.ts";

/** A question before it has a number and a time. */
export type QuestionDraft = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, "id" | "askedAt" | "deadline">
    : never
  : never;

/** The owner of a question, and the server and tool that it is about. */
export interface QuestionSubject {
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly tool?: string;
}

export interface QuestionInboxOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly emit: (fact: HostEventData) => void;
  readonly deadlineMs?: number;
}

export type QuestionListener = (question: Question, settled: AbortSignal) => void;

const DEADLINE_MS = 10 * 60_000;
/** How many questions of one server to one owner may be open, and how many at all. */
const MAX_OPEN_PER_SERVER = 100;
const MAX_OPEN_TOTAL = 5000;

interface PendingQuestion {
  readonly question: Question;
  readonly settle: (settlement: Settlement) => void;
}

export class QuestionInbox {
  readonly #options: QuestionInboxOptions;
  readonly #pending = new Map<string, PendingQuestion>();
  readonly #listeners = new Listeners<Parameters<QuestionListener>>();
  /** How many are open, by owner and server. */
  readonly #openCounts = new Map<string, number>();

  constructor(options: QuestionInboxOptions) {
    this.#options = options;
  }

  /** Waits until the question is settled; the signal withdraws it. A deadline of its own replaces the inbox's. */
  ask(draft: QuestionDraft, signal?: AbortSignal, customDeadlineMs?: number): Promise<Settlement> {
    const { clock, newId, emit } = this.#options;
    const deadlineMs = customDeadlineMs ?? this.#options.deadlineMs ?? DEADLINE_MS;
    if (signal?.aborted) return Promise.resolve({ by: "withdrawn" });
    // A server that floods somebody with questions is not asking anybody.
    const countKey = countKeyOf(draft);
    const open = this.#openCounts.get(countKey) ?? 0;
    if (open >= MAX_OPEN_PER_SERVER || this.#pending.size >= MAX_OPEN_TOTAL)
      return Promise.resolve({ by: "dismissed" });
    this.#openCounts.set(countKey, open + 1);
    const askedAt = clock.now();
    const question: Question = { ...draft, id: newId(), askedAt, deadline: askedAt + deadlineMs };
    return new Promise((resolve) => {
      const withdraw = () => settle({ by: "withdrawn" });
      const cancelDeadline = clock.after(deadlineMs, () => settle({ by: "deadline" }));
      const settled = new AbortController();
      const settle = (settlement: Settlement) => {
        if (!this.#pending.delete(question.id)) return;
        this.#decrementOpen(countKey);
        settled.abort();
        cancelDeadline();
        signal?.removeEventListener("abort", withdraw);
        emit({ type: "question.settled", question, settlement: redactSettlement(settlement) });
        resolve(settlement);
      };
      this.#pending.set(question.id, { question, settle });
      signal?.addEventListener("abort", withdraw, { once: true });
      emit({ type: "question.asked", question });
      this.#listeners.emit(question, settled.signal);
    });
  }

  /** Told of every question as it is asked, with a signal for when it is settled. */
  onQuestion(listener: QuestionListener): () => void {
    return this.#listeners.add(listener);
  }

  list(caller: Caller): Question[] {
    return [...this.#pending.values()]
      .map(({ question }) => question)
      .filter((question) => mayAnswer(question, caller));
  }

  answer(id: string, answer: Answer, caller: Caller): void {
    const { question, settle } = this.#find(id, caller);
    const reason = checkAnswer(question, answer);
    if (reason) throw new HostError("ANSWER_INVALID", { question: id, reason });
    settle({ by: "answered", answer });
  }

  dismiss(id: string, caller: Caller): void {
    this.#find(id, caller).settle({ by: "dismissed" });
  }

  close(): void {
    for (const { settle } of [...this.#pending.values()]) settle({ by: "withdrawn" });
  }

  #decrementOpen(counted: string): void {
    const left = (this.#openCounts.get(counted) ?? 1) - 1;
    if (left > 0) this.#openCounts.set(counted, left);
    else this.#openCounts.delete(counted);
  }

  #find(id: string, caller: Caller): PendingQuestion {
    const waiting = this.#pending.get(id);
    if (!waiting) throw new HostError("QUESTION_GONE", { question: id });
    if (!mayAnswer(waiting.question, caller)) throw new HostError("QUESTION_NOT_YOURS", { question: id });
    return waiting;
  }
}

/** What belongs to the workspace is for its owner's own faces, not for a conversation or a front. */
export function mayAnswer({ owner }: Question, caller: Caller): boolean {
  if (owner === "workspace") return caller.kind !== "front" && caller.kind !== "chat";
  return sameCaller(owner, caller);
}

/** What a browser ended at lets whoever knows it log in: it is for who asked alone. */
function redactSettlement(settlement: Settlement): Settlement {
  if (settlement.by !== "answered") return settlement;
  const { answer } = settlement;
  if (answer.type !== "login" || answer.action !== "redirected") return settlement;
  return { by: "answered", answer: { ...answer, url: "" } };
}

function countKeyOf({ owner, server }: QuestionDraft): string {
  return `${owner === "workspace" ? owner : owner.id} ${server}`;
}
