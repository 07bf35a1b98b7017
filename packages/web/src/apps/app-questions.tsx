/**
 * Shows the open questions about the calls of an App in a dialog. Beside the frame, the App could move them while the
 * user clicks, by changing its height.
 */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { Dialog } from "../components/dialog.tsx";
import { usePage } from "../hooks/context.tsx";
import { isAboutCall } from "../store/page-call.ts";
import { QuestionCard } from "../questions/question-card.tsx";

/** `calls`: the ids of the calls that the App makes now. */
export function AppQuestions({ server, calls }: { server: string; calls: readonly string[] }) {
  const questions = usePage((state) => state.questions);
  const [later, setLater] = useState<readonly string[]>([]);
  const [asked] = questions.filter(
    (question) => !later.includes(question.id) && calls.some((id) => isAboutCall(question, { id, server })),
  );
  if (!asked) return null;
  return (
    <Dialog
      key={asked.id}
      title={`The App of ${sanitizeLine(server)} calls a tool`}
      onClose={() => setLater((old) => [...old, asked.id])}
    >
      <QuestionCard question={asked} />
      <p className="small muted">If you close this, the question waits in the inbox.</p>
    </Dialog>
  );
}
