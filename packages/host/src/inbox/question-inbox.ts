/**
 * Holds the questions that wait for a person. Each question has an owner and a deadline. It is settled exactly once: by
 * an answer, by dismissal, by its deadline, or because it was withdrawn.
 */
import {
  accountOf,
  compoundKey,
  findEntryToGive,
  grantOf,
  hasRight,
  holderOf,
  HostError,
  Listeners,
  NATIVE_SERVER_ID,
  OWNER,
  principalIdOf,
  sameCaller,
} from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, Question, QuestionOwner, Settlement, Clock } from "@plugboard/contracts";
import { ChatWatchers } from "./chat-watchers.ts";
import { checkQuestionAnswer } from "./check-question-answer.ts";
import { InboxWatchers } from "./inbox-watchers.ts";
import { questionFor } from "./mask-definition.ts";
import type { UnwatchedWait } from "./inbox-watchers.ts";

/** A question without id, time and deadline, which the inbox adds. Each type of question keeps its own fields. */
export type QuestionDraft = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, "id" | "askedAt" | "deadline">
    : never
  : never;

/** The owner of a question, and the server, tool and call that it is about. */
export interface QuestionSubject {
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly tool?: string;
  readonly call?: string;
  /** The caller whose request needs the answer, if the owner is the workspace. */
  readonly requestedBy?: Caller;
}

export interface QuestionInboxOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly emit: (event: HostEventData) => void;
  readonly deadlineMs?: number;
}

export type QuestionListener = (question: Question, settled: AbortSignal) => void;

const DEADLINE_MS = 10 * 60_000;
/**
 * Limits the open questions per server and client, and in total. At the total limit, the oldest question of the
 * principal with the most questions is dropped.
 */
const MAX_OPEN_PER_SERVER = 100;
const MAX_OPEN_TOTAL = 5000;
/** Limits the characters of open sampling requests per server and client. A single request may have more. */
const MAX_SAMPLING_CHARS = 16 * 1024 * 1024;

/** The open questions of one client about one server. `chars` counts the characters of its sampling requests. */
interface OpenQuestions {
  count: number;
  chars: number;
}

interface PendingQuestion {
  readonly question: Question;
  /** The id of the principal that the question counts for. */
  readonly countsFor: string;
  readonly settle: (settlement: Settlement) => void;
  /** Set for a question to the users who watch the inbox. It is withdrawn when the wait ends. */
  readonly wait: UnwatchedWait | undefined;
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly customDeadlineMs?: number | undefined;
  readonly wait?: UnwatchedWait;
}

export class QuestionInbox {
  readonly watchers: InboxWatchers;
  readonly chatWatchers = new ChatWatchers();

  readonly #options: QuestionInboxOptions;
  readonly #pending = new Map<string, PendingQuestion>();
  readonly #listeners = new Listeners<Parameters<QuestionListener>>();
  /** By client and server. */
  readonly #open = new Map<string, OpenQuestions>();

  constructor(options: QuestionInboxOptions) {
    this.#options = options;
    this.watchers = new InboxWatchers(options.clock);
  }

  /** Resolves when the question is settled. The signal withdraws the question. Settles at once if too many are open. */
  ask(draft: QuestionDraft, signal?: AbortSignal, customDeadlineMs?: number): Promise<Settlement> {
    return this.#ask(draft, { signal, customDeadlineMs });
  }

  #ask(draft: QuestionDraft, { signal, customDeadlineMs, wait }: AskOptions): Promise<Settlement> {
    const { clock, newId, emit } = this.#options;
    const deadlineMs = customDeadlineMs ?? this.#options.deadlineMs ?? DEADLINE_MS;
    if (signal?.aborted) return Promise.resolve({ by: "withdrawn" });
    const countKey = countKeyOf(draft);
    const chars = samplingChars(draft);
    const open = this.#open.get(countKey) ?? { count: 0, chars: 0 };
    const isTooLong = open.chars > 0 && open.chars + chars > MAX_SAMPLING_CHARS;
    const countsFor = principalIdOf(clientOf(draft) ?? {});
    if (open.count >= MAX_OPEN_PER_SERVER || isTooLong || !this.#makeRoom(countsFor)) {
      return Promise.resolve({ by: "limit" });
    }
    this.#open.set(countKey, { count: open.count + 1, chars: open.chars + chars });
    const askedAt = clock.now();
    const question: Question = { ...draft, id: newId(), askedAt, deadline: askedAt + deadlineMs };
    return new Promise((resolve) => {
      const withdraw = () => settle({ by: "withdrawn" });
      const cancelDeadline = clock.after(deadlineMs, () => settle({ by: "deadline" }));
      const settled = new AbortController();
      const settle = (settlement: Settlement) => {
        if (!this.#pending.delete(question.id)) return;
        this.#removeOpen(countKey, chars);
        settled.abort();
        cancelDeadline();
        signal?.removeEventListener("abort", withdraw);
        emit({ type: "question.settled", question, settlement: redactSettlement(settlement) });
        resolve(settlement);
      };
      this.#pending.set(question.id, { question, countsFor, settle, wait });
      signal?.addEventListener("abort", withdraw, { once: true });
      emit({ type: "question.asked", question });
      this.#listeners.emit(question, settled.signal);
    });
  }

  /**
   * Asks a user who watches the inbox, because the caller has no user of its own or is not known. Resolves to
   * "unwatched" if nobody has watched the inbox for a few seconds.
   */
  async askWatchers(draft: QuestionDraft, signal?: AbortSignal): Promise<Settlement | "unwatched"> {
    const wait = this.watchers.waitUntilUnwatched();
    try {
      const withdrawn = signal ? AbortSignal.any([signal, wait.unwatched]) : wait.unwatched;
      const settlement = await this.#ask({ ...draft, owner: "workspace" }, { signal: withdrawn, wait });
      return wait.unwatched.aborted && settlement.by === "withdrawn" && !signal?.aborted ? "unwatched" : settlement;
    } finally {
      wait.stop();
    }
  }

  /** Calls the listener for each new question, with a signal that aborts when the question is settled. */
  onQuestion(listener: QuestionListener): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Returns the questions that the caller may answer, masked for `reader`. While nobody watches the inbox, the
   * deadline of a question may be earlier than usual.
   */
  list(caller: Caller, reader = caller): Question[] {
    return [...this.#pending.values()]
      .filter(({ question }) => this.mayAnswer(question, caller))
      .map(({ question, wait }) => ({
        ...questionFor(question, reader),
        deadline: Math.min(question.deadline, wait?.endsAt ?? Infinity),
      }));
  }

  /**
   * A question to the workspace may be answered by its user, but not in a chat or by a front. A question of a chat may
   * be answered by the watchers of the chat. A question about a native tool needs the right to use it.
   */
  mayAnswer({ owner, server }: Pick<Question, "owner" | "server">, caller: Caller): boolean {
    const holder = holderOf(caller);
    if (server === NATIVE_SERVER_ID && !hasRight(holder, "use_native_tools")) return false;
    if (owner === "workspace") return grantOf(holder, "answer") === "all";
    return sameCaller(owner, caller) || (owner.kind === "chat" && this.chatWatchers.watches(owner.id, caller));
  }

  answer(id: string, answer: Answer, caller: Caller): void {
    const { question, settle } = this.#find(id, caller);
    const reason = checkQuestionAnswer(question, answer);
    if (reason) throw new HostError("ANSWER_INVALID", { question: id, reason });
    settle({ by: "answered", answer });
  }

  dismiss(id: string, caller: Caller): void {
    this.#find(id, caller).settle({ by: "dismissed" });
  }

  /** Dismisses the questions of a chat that nobody watches any more. */
  dismissChat(chat: string): void {
    for (const { question, settle } of [...this.#pending.values()]) {
      const { owner } = question;
      if (owner !== "workspace" && owner.kind === "chat" && owner.id === chat) settle({ by: "dismissed" });
    }
  }

  close(): void {
    for (const { settle } of [...this.#pending.values()]) settle({ by: "withdrawn" });
  }

  /** Returns false if the total is reached and no other principal has more questions. The owner always gets in. */
  #makeRoom(principal: string): boolean {
    if (this.#pending.size < MAX_OPEN_TOTAL) return true;
    const given = findEntryToGive(this.#pending.values(), principal, { principalOf: (pending) => pending.countsFor });
    given?.settle({ by: "limit" });
    return given !== undefined || principal === OWNER.id;
  }

  #removeOpen(countKey: string, chars: number): void {
    const open = this.#open.get(countKey)!;
    if (open.count > 1) this.#open.set(countKey, { count: open.count - 1, chars: open.chars - chars });
    else this.#open.delete(countKey);
  }

  #find(id: string, caller: Caller): PendingQuestion {
    const pending = this.#pending.get(id);
    if (!pending) throw new HostError("QUESTION_GONE", { question: id });
    if (!this.mayAnswer(pending.question, caller)) throw new HostError("QUESTION_NOT_YOURS", { question: id });
    return pending;
  }
}

/** Removes the redirect URL from the event. It contains the authorization code. */
function redactSettlement(settlement: Settlement): Settlement {
  if (settlement.by !== "answered") return settlement;
  const { answer } = settlement;
  if (answer.type !== "login" || answer.action !== "redirected") return settlement;
  return { by: "answered", answer: { ...answer, url: "" } };
}

/**
 * Only sampling requests count: a server may send a long conversation. Other questions are short, or from the caller.
 */
function samplingChars(draft: QuestionDraft): number {
  return draft.type === "sampling" ? JSON.stringify(draft.request).length : 0;
}

/**
 * Returns the key under which a question counts against the limit. A question to the workspace counts for the client
 * that caused it. All callers with the same token are one client, because each modern request has a caller of its own.
 */
function countKeyOf(draft: QuestionDraft): string {
  const client = clientOf(draft);
  return compoundKey(client ? accountOf(client) : "workspace", draft.server);
}

function clientOf({ owner, requestedBy }: QuestionDraft): Caller | undefined {
  return owner === "workspace" ? requestedBy : owner;
}
