/** Lets a program answer its own questions, and those of its workspace, by a function instead of by watching the inbox. */
import { HostError } from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, Question } from "@plugboard/contracts";
import { mayAnswer } from "./question-inbox.ts";
import type { QuestionInbox } from "./question-inbox.ts";

/** Nothing means: dismissed. The signal fires when the answer is no longer wanted. */
export type AnswerPort = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;

export interface AnswerPortContext {
  readonly inbox: QuestionInbox;
  readonly caller: Caller;
  readonly emit: (fact: HostEventData) => void;
}

export function connectAnswerPort(port: AnswerPort, { inbox, caller, emit }: AnswerPortContext): void {
  inbox.onQuestion((question, settled) => {
    if (mayAnswer(question, caller)) void answerOne(question, settled);
  });

  /** A port that throws, or answers what was not asked, has dismissed the question; the fact says why. */
  async function answerOne(question: Question, settled: AbortSignal): Promise<void> {
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
    // The page that a login waits for comes back by itself.
    if (!answer && question.type === "login" && question.step) return;
    if (!answer && !settled.aborted) inbox.dismiss(question.id, caller);
  }
}
