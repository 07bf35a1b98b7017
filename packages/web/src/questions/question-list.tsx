/** Shows the first questions of each server as cards. The others are shown later, or can be dismissed together. */
import type { ReactNode } from "react";
import { isHostError, sanitizeLine } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { ActionButton } from "../components/button.tsx";
import { useToaster } from "../components/toasts.tsx";
import { useClient } from "../hooks/context.tsx";
import { firstQuestions } from "./first-questions.ts";

interface QuestionListProps {
  readonly questions: readonly Question[];
  readonly card: (question: Question) => ReactNode;
}

export function QuestionList({ questions, card }: QuestionListProps) {
  const { shown, later } = firstQuestions(questions);
  return (
    <>
      {shown.map(card)}
      {[...later].map(([server, waiting]) => (
        <LaterQuestions key={server} server={server} waiting={waiting} />
      ))}
    </>
  );
}

function LaterQuestions({ server, waiting }: { server: string; waiting: readonly Question[] }) {
  const client = useClient();
  const { report } = useToaster();
  const dismissAll = async () => {
    const { inbox } = client.connected.workspace;
    await Promise.all(waiting.map(({ id }) => inbox.dismiss(id).catch(ignoreIfGone)));
  };
  return (
    <div className="row-wrap">
      <span className="muted">
        {waiting.length === 1 ? "1 more question" : `${waiting.length} more questions`} of{" "}
        <strong>{sanitizeLine(server)}</strong> {waiting.length === 1 ? "follows" : "follow"}.
      </span>
      <ActionButton onAction={() => report(dismissAll())}>Dismiss {waiting.length === 1 ? "it" : "them"}</ActionButton>
    </div>
  );
}

/** A question may have been settled meanwhile. */
function ignoreIfGone(error: unknown): void {
  if (!isHostError(error) || error.code !== "QUESTION_GONE") throw error;
}
