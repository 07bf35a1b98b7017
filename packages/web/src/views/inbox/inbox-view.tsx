/** Everything that waits for the owner. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Badge, Card, EmptyState, View } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { useClient, useLoad, usePage } from "../../store/context.tsx";
import { distinctQuestions } from "./distinct-questions.ts";
import { QuestionCard } from "./question-card.tsx";

export function InboxView() {
  const questions = distinctQuestions(usePage((state) => state.questions));
  return (
    <View title="Inbox" actions={<NotificationButton />}>
      <div className="stack" aria-live="polite">
        {questions.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
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
  const client = useClient();
  const { report } = useToaster();
  const questions = usePage((state) => state.questions);
  const decisions = useLoad(({ workspace }) => workspace.permissions.decisions(), [questions.length]);
  if (!decisions.data || decisions.data.length === 0) return null;
  const revoke = async (id: string) => {
    await report(client.connected.workspace.permissions.revoke(id), "The decision is revoked");
    decisions.reload();
  };
  return (
    <Card title="What you have allowed">
      {decisions.data.map(({ id, server, tool, scope, at }) => (
        <div key={id} className="row-wrap">
          <code className="grow">
            {sanitizeLine(server)}:{sanitizeLine(tool)}
          </code>
          <Badge>{scope === "always" ? "always" : "this session"}</Badge>
          <span className="small muted">{formatTime(at, Date.now())}</span>
          <ActionButton small onAction={() => revoke(id)}>
            Revoke
          </ActionButton>
        </div>
      ))}
    </Card>
  );
}
