/**
 * Where questions wait for a person. Each has an owner and a deadline and is
 * settled exactly once: by an answer, by being dismissed, by its deadline, or
 * by being withdrawn because what it was about has gone on.
 */
import { HostError, sameCaller } from "@plugboard/contracts";
import type { Answer, Caller, HostFact, Question, Settlement } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { checkAnswer } from "./check-answer.ts";

/** A question before it has a number and a time. */
export type Draft = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, "id" | "askedAt" | "deadline">
    : never
  : never;

export interface InboxOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly state: (fact: HostFact) => void;
  readonly deadlineMs?: number;
}

export type Watcher = (question: Question, settled: AbortSignal) => void;

const DEADLINE_MS = 10 * 60_000;
/** How many questions of one server to one owner may be open, and how many at all. */
const MAX_OPEN = 100;
const MAX_IN_ALL = 5000;

interface Waiting {
  readonly question: Question;
  readonly settle: (settlement: Settlement) => void;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #watchers = new Set<Watcher>();
  /** How many are open, by owner and server. */
  readonly #open = new Map<string, number>();

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Waits until the question is settled; the signal withdraws it. A deadline of its own replaces the inbox's. */
  ask(draft: Draft, signal?: AbortSignal, ownDeadlineMs?: number): Promise<Settlement> {
    const { clock, newId, state } = this.#options;
    const deadlineMs = ownDeadlineMs ?? this.#options.deadlineMs ?? DEADLINE_MS;
    if (signal?.aborted) return Promise.resolve({ by: "withdrawn" });
    // A server that floods somebody with questions is not asking anybody.
    const counted = countedAs(draft);
    const open = this.#open.get(counted) ?? 0;
    if (open >= MAX_OPEN || this.#waiting.size >= MAX_IN_ALL) return Promise.resolve({ by: "dismissed" });
    this.#open.set(counted, open + 1);
    const askedAt = clock.now();
    const question: Question = { ...draft, id: newId(), askedAt, deadline: askedAt + deadlineMs };
    return new Promise((resolve) => {
      const withdraw = () => settle({ by: "withdrawn" });
      const stopDeadline = clock.after(deadlineMs, () => settle({ by: "deadline" }));
      const settled = new AbortController();
      const settle = (settlement: Settlement) => {
        if (!this.#waiting.delete(question.id)) return;
        this.#close(counted);
        settled.abort();
        stopDeadline();
        signal?.removeEventListener("abort", withdraw);
        state({ type: "question.settled", question, settlement: told(settlement) });
        resolve(settlement);
      };
      this.#waiting.set(question.id, { question, settle });
      signal?.addEventListener("abort", withdraw, { once: true });
      state({ type: "question.asked", question });
      for (const watcher of this.#watchers) watcher(question, settled.signal);
    });
  }

  /** Told of every question as it is asked, with a signal for when it is settled. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  list(caller: Caller): Question[] {
    return [...this.#waiting.values()]
      .map(({ question }) => question)
      .filter((question) => mayAnswer(question, caller));
  }

  answer(id: string, answer: Answer, caller: Caller): void {
    const { question, settle } = this.#find(id, caller);
    const what = checkAnswer(question, answer);
    if (what) throw new HostError("ANSWER_INVALID", { question: id, what });
    settle({ by: "answered", answer });
  }

  dismiss(id: string, caller: Caller): void {
    this.#find(id, caller).settle({ by: "dismissed" });
  }

  close(): void {
    for (const { settle } of [...this.#waiting.values()]) settle({ by: "withdrawn" });
  }

  #close(counted: string): void {
    const left = (this.#open.get(counted) ?? 1) - 1;
    if (left > 0) this.#open.set(counted, left);
    else this.#open.delete(counted);
  }

  #find(id: string, caller: Caller): Waiting {
    const waiting = this.#waiting.get(id);
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
function told(settlement: Settlement): Settlement {
  if (settlement.by !== "answered") return settlement;
  const { answer } = settlement;
  if (answer.type !== "login" || answer.action !== "redirected") return settlement;
  return { by: "answered", answer: { ...answer, url: "" } };
}

function countedAs({ owner, server }: Draft): string {
  return `${owner === "workspace" ? owner : owner.id} ${server}`;
}
