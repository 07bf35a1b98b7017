/** One question with everything that it is about, and the answers to it. */
import { useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type {
  Answer,
  ElicitationQuestion,
  LoginQuestion,
  PermissionQuestion,
  Question,
  SamplingQuestion,
  TrustQuestion,
} from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Changes } from "../../components/changes.tsx";
import { TextInput } from "../../components/field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Facts, Notice } from "../../components/layout.tsx";
import { isWebUrl } from "../../format/markdown.ts";
import { formatDuration } from "../../format/format.ts";
import { messageOf, useClient } from "../../store/context.tsx";
import { useNow } from "../../store/use-now.ts";
import { questionRequester, questionTitle } from "./describe-question.ts";
import { sameQuestions } from "./distinct-questions.ts";
import { DefinitionText } from "../servers/definition-text.tsx";
import { ElicitationForm } from "./elicitation-form.tsx";

type Send = (answer: Answer) => Promise<void>;

export function QuestionCard({ question }: { question: Question }) {
  const client = useClient();
  const now = useNow(1000);
  const [error, setError] = useState<string>();
  const send: Send = async (answer) => {
    setError(undefined);
    const { inbox } = client.connected.workspace;
    try {
      // One answer is for all questions about the same definition.
      for (const { id } of sameQuestions(client.state.get().questions, question)) await inbox.answer(id, answer);
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const left = question.deadline - now;
  return (
    <section className="card question" aria-label={questionTitle(question)}>
      <div className="card-head">
        <h2 className="grow">{questionTitle(question)}</h2>
        <Badge>{questionRequester(question)}</Badge>
        <span className="small muted">{left > 0 ? `${formatDuration(left)} left` : "expired"}</span>
      </div>
      <div className="card-body stack">
        <Body question={question} send={send} />
        {error !== undefined && <Notice tone="danger">{sanitize(error)}</Notice>}
      </div>
    </section>
  );
}

function Body({ question, send }: { question: Question; send: Send }) {
  switch (question.type) {
    case "permission":
      return <PermissionBody question={question} send={send} />;
    case "elicitation":
      return <ElicitationBody question={question} send={send} />;
    case "trust":
      return <TrustBody question={question} send={send} />;
    case "sampling":
      return <SamplingBody question={question} send={send} />;
    case "login":
      return <LoginBody question={question} send={send} />;
  }
}

function PermissionBody({ question, send }: { question: PermissionQuestion; send: Send }) {
  const { description, preview, rule, pin, changes } = question;
  const [reason, setReason] = useState("");
  const answer = (decision: "once" | "session" | "always") => () => send({ type: "permission", decision });
  const deny = () =>
    send({ type: "permission", decision: "no", ...(reason.trim() !== "" && { reason: reason.trim() }) });
  return (
    <>
      {description !== undefined && <p className="prose muted">{sanitize(description)}</p>}
      <h3>Arguments</h3>
      <div className="code-block" tabIndex={0} role="group" aria-label="Arguments">
        <JsonView value={question.arguments} unfolded />
      </div>
      {preview !== undefined && <CodeBlock label="Preview" text={sanitize(preview)} />}
      {rule !== undefined && (
        <p className="small muted">
          The rule <code>{sanitizeLine(rule)}</code> requires the question.
        </p>
      )}
      {changes && changes.length > 0 && (
        <>
          <Notice tone="warn">The tool has changed since you approved it.</Notice>
          <Changes changes={changes} />
        </>
      )}
      <div className="row-wrap">
        <ActionButton kind="primary" onAction={answer("once")}>
          Allow once
        </ActionButton>
        {pin !== undefined && (
          <>
            <ActionButton onAction={answer("session")}>Allow for this session</ActionButton>
            <ActionButton onAction={answer("always")}>Always allow</ActionButton>
          </>
        )}
        <ActionButton kind="danger" onAction={deny}>
          Deny
        </ActionButton>
        <div className="grow" style={{ minWidth: "10rem" }}>
          <TextInput
            aria-label="Reason that the model sees"
            placeholder="Reason for a denial (optional)"
            value={reason}
            onValue={setReason}
          />
        </div>
      </div>
    </>
  );
}

function ElicitationBody({ question, send }: { question: ElicitationQuestion; send: Send }) {
  const { elicitation, server, tool } = question;
  const decline = () => send({ type: "elicitation", action: "decline" });
  const source = (
    <p className="small muted">
      The text is from {sanitizeLine(server)}
      {tool === undefined ? "" : `, during ${sanitizeLine(tool)}`}. Enter no password that it should not have.
    </p>
  );
  if (elicitation.mode === "url") {
    return (
      <>
        <p className="prose">{sanitize(elicitation.message)}</p>
        <OpenedUrl url={elicitation.url} />
        {source}
        <div className="row-wrap">
          <ActionButton kind="primary" onAction={() => send({ type: "elicitation", action: "accept" })}>
            Done
          </ActionButton>
          <ActionButton onAction={decline}>Decline</ActionButton>
        </div>
      </>
    );
  }
  return (
    <>
      <p className="prose">{sanitize(elicitation.message)}</p>
      {source}
      <ElicitationForm
        fields={elicitation.fields}
        onSubmit={(content) => send({ type: "elicitation", action: "accept", content })}
        onDecline={decline}
      />
    </>
  );
}

function TrustBody({ question, send }: { question: TrustQuestion; send: Send }) {
  const { source, folder, transport, variables, changes, definition } = question;
  return (
    <>
      <Facts
        facts={[
          ["File", `${source} file of ${sanitizeLine(folder)}`],
          ["Transport", transport],
          ["Gets", variables.length === 0 ? "no variables" : variables.map(sanitizeLine).join(", ")],
        ]}
      />
      <DefinitionText definition={definition} />
      {changes && changes.length > 0 && <Changes changes={changes} />}
      <div className="row-wrap">
        <ActionButton kind="primary" onAction={() => send({ type: "trust", decision: "yes" })}>
          Approve this definition
        </ActionButton>
        <ActionButton kind="danger" onAction={() => send({ type: "trust", decision: "no" })}>
          Refuse
        </ActionButton>
      </div>
    </>
  );
}

function SamplingBody({ question, send }: { question: SamplingQuestion; send: Send }) {
  return (
    <>
      <p>The server wants to send this request to your model, and gets the answer.</p>
      <div className="code-block" tabIndex={0} role="group" aria-label="Request">
        <JsonView value={question.request} unfolded />
      </div>
      <div className="row-wrap">
        <ActionButton kind="primary" onAction={() => send({ type: "sampling", decision: "yes" })}>
          Allow
        </ActionButton>
        <ActionButton kind="danger" onAction={() => send({ type: "sampling", decision: "no" })}>
          Refuse
        </ActionButton>
      </div>
    </>
  );
}

const LOGIN_REASONS = {
  first: "You are not logged in yet.",
  expired: "Your login has expired.",
  scope: "The server requires more rights.",
};

function LoginBody({ question, send }: { question: LoginQuestion; send: Send }) {
  const { reason, issuer, scope, step } = question;
  const [redirect, setRedirect] = useState("");
  const cancel = (
    <ActionButton onAction={() => send({ type: "login", action: "cancel" })}>Cancel the login</ActionButton>
  );
  const facts = (
    <Facts
      facts={[
        ["Reason", LOGIN_REASONS[reason]],
        ...(issuer === undefined ? [] : [["Login at", <code key="issuer">{sanitizeLine(issuer)}</code>] as const]),
        ...(scope === undefined ? [] : [["Rights", <code key="scope">{sanitizeLine(scope)}</code>] as const]),
      ]}
    />
  );
  if (!step) {
    return (
      <>
        {facts}
        <div className="row-wrap">
          <ActionButton kind="primary" onAction={() => send({ type: "login", action: "begin", method: "browser" })}>
            Log in
          </ActionButton>
          <ActionButton onAction={() => send({ type: "login", action: "begin", method: "device" })}>
            Log in on another device
          </ActionButton>
          {cancel}
        </div>
      </>
    );
  }
  if (step.type === "device") {
    return (
      <>
        {facts}
        <p>Open the page on any device, and enter the code.</p>
        <OpenedUrl url={step.completeUrl ?? step.url} />
        <CodeBlock label="Code" text={step.code} />
        <div>{cancel}</div>
      </>
    );
  }
  return (
    <>
      {facts}
      <p>The login opens in a new tab. This page goes on when it is done.</p>
      <OpenedUrl url={step.url} label="Open the login page" />
      <div className="row">
        <TextInput
          aria-label="Redirect URL"
          placeholder="If the browser is on another machine: paste the URL at which the login ended"
          value={redirect}
          onValue={setRedirect}
        />
        <ActionButton
          disabled={redirect.trim() === ""}
          onAction={() => send({ type: "login", action: "redirected", url: redirect.trim() })}
        >
          Send
        </ActionButton>
      </div>
      <div>{cancel}</div>
    </>
  );
}

/** The whole URL is shown before it is opened. Only web pages can be opened. */
function OpenedUrl({ url, label = "Open the page" }: { url: string; label?: string }) {
  return (
    <div className="stack-tight">
      <code className="code-block">{sanitize(url)}</code>
      {isWebUrl(url) && (
        <div>
          <a className="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
            {label}
          </a>
        </div>
      )}
    </div>
  );
}
