/** The open questions about one definition. The first approval or refusal settles all of them. */
import { abortable, cancelled } from "@plugboard/contracts";
import type { QuestionOwner } from "@plugboard/contracts";

/** Asks one owner. Resolves with true if the definition was approved. `withdrawn` aborts when no answer is needed. */
type AskOwner = (owner: QuestionOwner, withdrawn: AbortSignal) => Promise<boolean>;

interface TrustPrompt {
  readonly answer: Promise<boolean>;
  /** The number of callers that wait for the answer. The question is withdrawn when the last caller cancels. */
  waiters: number;
  readonly abandoned: AbortController;
}

export class PendingTrust {
  readonly #ask: AskOwner;
  /** The open question of each owner. */
  readonly #prompts = new Map<string, TrustPrompt>();
  readonly #settled = new AbortController();
  /** True once the definition is approved, also while the approval is stored. */
  approved = false;

  constructor(ask: AskOwner) {
    this.#ask = ask;
  }

  /** True if all questions have ended without an approval. */
  get isEmpty(): boolean {
    return this.#prompts.size === 0;
  }

  get isSettled(): boolean {
    return this.#settled.signal.aborted;
  }

  /** Asks the owner, or waits for the answer to its open question. Rejects when `signal` aborts. */
  wait(owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    // A program also gets the questions to its workspace, so it waits for an open question to the workspace.
    const isProgram = owner !== "workspace" && owner.kind === "program";
    const workspacePrompt = isProgram ? this.#prompts.get("workspace") : undefined;
    const prompt = workspacePrompt ?? this.#prompts.get(keyOf(owner)) ?? this.#start(owner);
    prompt.waiters += 1;
    if (!signal) return prompt.answer;
    return abortable(prompt.answer, signal, () => {
      prompt.waiters -= 1;
      if (prompt.waiters === 0) prompt.abandoned.abort();
      return cancelled();
    });
  }

  /** Forgets the question to this owner, so that the owner can be asked again. */
  delete(owner: QuestionOwner): void {
    this.#prompts.delete(keyOf(owner));
  }

  /** Withdraws the questions that are still open. */
  settle(): void {
    this.#settled.abort();
  }

  #start(owner: QuestionOwner): TrustPrompt {
    const abandoned = new AbortController();
    const answer = this.#ask(owner, AbortSignal.any([this.#settled.signal, abandoned.signal]));
    const prompt = { answer, waiters: 0, abandoned };
    this.#prompts.set(keyOf(owner), prompt);
    return prompt;
  }
}

function keyOf(owner: QuestionOwner): string {
  return owner === "workspace" ? owner : owner.id;
}
