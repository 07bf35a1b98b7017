/** Lets a program answer its own questions by a function instead of by watching the inbox. */
import { sameCaller, toHostError } from "@plugboard/contracts";
import type { Answer, Caller, HostEvent, HostFact, Question } from "@plugboard/contracts";
import type { Inbox } from "./inbox.ts";

/** Nothing means: dismissed. The signal fires when the answer is no longer wanted. */
export type AnswerPort = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;

export interface PortContext {
  readonly events: AsyncIterable<HostEvent>;
  readonly inbox: Inbox;
  readonly caller: Caller;
  readonly state: (fact: HostFact) => void;
}

/** Runs until the events end. */
export async function answerByPort(port: AnswerPort, { events, inbox, caller, state }: PortContext): Promise<void> {
  const open = new Map<string, AbortController>();
  for await (const event of events) {
    if (event.type === "question.settled") {
      open.get(event.question.id)?.abort();
      open.delete(event.question.id);
    }
    if (event.type !== "question.asked") continue;
    const { question } = event;
    if (question.owner === "workspace" || !sameCaller(question.owner, caller)) continue;
    const settled = new AbortController();
    open.set(question.id, settled);
    void answerOne(question, settled.signal);
  }

  /** A port that throws, or answers what was not asked, has dismissed the question; the fact says why. */
  async function answerOne(question: Question, settled: AbortSignal): Promise<void> {
    try {
      const answer = await port(question, settled);
      if (settled.aborted) return;
      if (answer) inbox.answer(question.id, answer, caller);
      else inbox.dismiss(question.id, caller);
    } catch (thrown) {
      if (settled.aborted) return;
      state({ type: "port.failed", port: "answer", error: toHostError(thrown).toJSON() });
      inbox.dismiss(question.id, caller);
    }
  }
}
