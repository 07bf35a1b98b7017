/** The open questions about one tool, beside the call that waits for them. */
import type { Question } from "@plugboard/contracts";
import { usePage } from "../../store/context.tsx";
import { QuestionCard } from "./question-card.tsx";

export function CallQuestions({ server, tool }: { server: string; tool: string }) {
  const questions = usePage((state) => state.questions);
  return questions
    .filter((question) => isAboutCall(question, server, tool))
    .map((question) => <QuestionCard key={question.id} question={question} />);
}

export function isAboutCall(question: Question, server: string, tool: string): boolean {
  if (question.server !== server) return false;
  return !("tool" in question) || question.tool === undefined || question.tool === tool;
}
