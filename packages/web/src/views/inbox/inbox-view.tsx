/** Everything that waits for the owner. */
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Card, EmptyState, View } from "../../components/layout.tsx";
import { usePage } from "../../hooks/context.tsx";
import { distinctQuestions } from "../../questions/distinct-questions.ts";
import { OwnCalls } from "./own-calls.tsx";
import { QuestionCard } from "../../questions/question-card.tsx";
import { QuestionList } from "../../questions/question-list.tsx";
import { DecisionRow, useDecisions } from "./stored-decisions.tsx";

export function InboxView() {
  const questions = distinctQuestions(usePage((state) => state.questions));
  return (
    <View title="Inbox" actions={<NotificationButton />}>
      <div className="stack" aria-live="polite">
        <QuestionList
          questions={questions}
          card={(question) => <QuestionCard key={question.id} question={question} />}
        />
      </div>
      {questions.length === 0 && (
        <div className="card">
          <EmptyState title="Nothing waits for you">
            <p>
              Questions of tools, servers and logins appear here, with the one who asks and everything that would be
              sent.
            </p>
          </EmptyState>
        </div>
      )}
      <OwnCalls />
      <Decisions />
    </View>
  );
}

function NotificationButton() {
  const [state, setState] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  if (state === "denied")
    return (
      "Notification" in window && <span className="small muted">Your browser blocks notifications of this page.</span>
    );
  if (state === "granted") return null;
  return <Button onClick={() => void Notification.requestPermission().then(setState)}>Notify me of questions</Button>;
}

/** Answers that are valid for longer than one call. */
function Decisions() {
  const decisions = useDecisions();
  if (decisions.length === 0) return null;
  return (
    <Card title="What you have allowed">
      {decisions.map((decision) => (
        <DecisionRow key={decision.id} decision={decision} />
      ))}
    </Card>
  );
}
