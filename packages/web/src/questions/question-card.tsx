/** One question: who asks, how long it waits, and everything that it is about. */
import { useEffect, useRef, useState } from "react";
import { sanitize, formatDuration } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { Badge, Notice } from "../components/layout.tsx";
import { messageOf } from "../format/message-of.ts";
import { hrefOf } from "../hooks/route.ts";
import { useClient } from "../hooks/context.tsx";
import { useNow } from "../hooks/use-now.ts";
import { questionCaller, questionRequester, questionTitle } from "./describe-question.ts";
import { sameQuestions } from "./distinct-questions.ts";
import { ElicitationQuestionBody } from "./kinds/elicitation-question-body.tsx";
import { LoginQuestionBody } from "./kinds/login-question-body.tsx";
import { PermissionQuestionBody } from "./kinds/permission-question-body.tsx";
import type { QuestionProps } from "./kinds/question-props.ts";
import { SamplingQuestionBody } from "./kinds/sampling-question-body.tsx";
import { TrustQuestionBody } from "./kinds/trust-question-body.tsx";

/** The time that is left is not shown if it is longer than this. */
const SHOWN_DEADLINE_MS = 24 * 60 * 60_000;

interface QuestionCardProps {
  readonly question: Question;
  /** True if the view shows the tool of the question anyway. */
  readonly besideTool?: boolean;
}

export function QuestionCard({ question, besideTool = false }: QuestionCardProps) {
  const client = useClient();
  const now = useNow(1000);
  const [error, setError] = useState<string>();
  const isAnswered = useRef(false);
  useEffect(
    () => () => {
      if (isAnswered.current) focusAfterQuestion();
    },
    [],
  );
  const send: QuestionProps<Question>["send"] = async (answer) => {
    setError(undefined);
    isAnswered.current = true;
    const { inbox } = client.connected.workspace;
    try {
      // One answer is for all questions about the same definition.
      for (const { id } of sameQuestions(client.state.get().questions, question)) await inbox.answer(id, answer);
    } catch (thrown) {
      isAnswered.current = false;
      setError(messageOf(thrown));
    }
  };
  const left = question.deadline - now;
  return (
    <section className="card question" aria-label={questionTitle(question)}>
      <div className="card-head">
        <h2 className="grow" tabIndex={-1}>
          {questionTitle(question)}
        </h2>
        <Requester question={question} />
        {left < SHOWN_DEADLINE_MS && (
          <span className="small muted nowrap">{left > 0 ? `${formatDuration(left)} left` : "expired"}</span>
        )}
      </div>
      <div className="card-body stack">
        <Body question={question} send={send} besideTool={besideTool} />
        {error !== undefined && <Notice tone="danger">{sanitize(error)}</Notice>}
      </div>
    </section>
  );
}

/**
 * Moves the focus after an answer: to the next question, otherwise to the result or the chat, otherwise to the heading
 * of the view. Keeps the focus where it is if the user has already moved it.
 */
function focusAfterQuestion(): void {
  if (document.activeElement !== document.body) return;
  for (const place of [".question h2", "[data-after-question]", "#main h1"]) {
    const found = document.querySelector<HTMLElement>(place);
    if (found) return found.focus();
  }
}

function Requester({ question }: { question: Question }) {
  const caller = questionCaller(question);
  const text = questionRequester(question);
  if (caller?.kind !== "chat") return <Badge>{text}</Badge>;
  return (
    <a className="badge" href={hrefOf("chat", caller.id)}>
      {text}
    </a>
  );
}

function Body({ question, send, besideTool }: QuestionProps<Question> & { readonly besideTool: boolean }) {
  switch (question.type) {
    case "permission":
      return <PermissionQuestionBody question={question} send={send} besideTool={besideTool} />;
    case "elicitation":
      return <ElicitationQuestionBody question={question} send={send} />;
    case "trust":
      return <TrustQuestionBody question={question} send={send} />;
    case "sampling":
      return <SamplingQuestionBody question={question} send={send} />;
    case "login":
      return <LoginQuestionBody question={question} send={send} />;
  }
}
