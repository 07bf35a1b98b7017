/** Lets a program answer questions with a function, instead of watching the inbox. */
import { HostError } from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, Question } from "@plugboard/contracts";
import type { QuestionInbox } from "./question-inbox.ts";

/** Returns the answer, or undefined to dismiss the question. The signal aborts when the question is settled. */
export type AnswerPort = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;

export interface AnswerPortContext {
  readonly inbox: QuestionInbox;
  readonly caller: Caller;
  readonly emit: (event: HostEventData) => void;
}

export function connectAnswerPort(port: AnswerPort, { inbox, caller, emit }: AnswerPortContext): void {
  inbox.onQuestion((question, settled) => {
    if (inbox.mayAnswer(question, caller)) void answerQuestion(question, settled);
  });

  /** Dismisses the question if the port throws or the answer is invalid. The event `port.failed` says why. */
  async function answerQuestion(question: Question, settled: AbortSignal): Promise<void> {
    let answer: Answer | undefined;
    try {
      answer = await port(question, settled);
      if (answer && !settled.aborted) inbox.answer(question.id, answer, caller);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "answer", reason }, { cause: thrown });
      emit({ type: "port.failed", port: "answer", error: error.toJSON() });
      answer = undefined;
    }
    // The browser can still finish a login that has started.
    if (!answer && question.type === "login" && question.step) return;
    if (!answer && !settled.aborted) inbox.dismiss(question.id, caller);
  }
}
