/** The open questions about one tool, beside the call that waits for them. */
import { usePage } from "../../store/context.tsx";
import { QuestionCard } from "./question-card.tsx";

export function CallQuestions({ server, tool }: { server: string; tool: string }) {
  const questions = usePage((state) => state.questions);
  return questions
    .filter(
      (question) =>
        question.server === server && (!("tool" in question) || question.tool === undefined || question.tool === tool),
    )
    .map((question) => <QuestionCard key={question.id} question={question} />);
}
