/** A login at a server: asks how to log in, then shows the steps. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { LoginQuestion } from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { FactList } from "../../components/layout.tsx";
import { OpenedUrl } from "./opened-url.tsx";
import type { QuestionProps } from "./question-props.ts";

const REASONS = {
  first: "You are not logged in yet.",
  expired: "Your login has expired.",
  scope: "The server requires more rights.",
};

export function LoginQuestionBody({ question, send }: QuestionProps<LoginQuestion>) {
  const { reason, issuer, scope, step } = question;
  const cancel = (
    <ActionButton onAction={() => send({ type: "login", action: "cancel" })}>Cancel the login</ActionButton>
  );
  const facts = (
    <FactList
      facts={[
        ["Reason", REASONS[reason]],
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
        <CodeBlock label="Code" text={step.code} />
        <OpenedUrl url={step.completeUrl ?? step.url} />
        <div>{cancel}</div>
      </>
    );
  }
  return (
    <>
      {facts}
      <p>The login opens in a new tab. This page goes on when it is done.</p>
      <OpenedUrl url={step.url} label="Open the login page" />
      <RedirectField send={send} />
      <div>{cancel}</div>
    </>
  );
}

/** A browser on another machine can't reach the host, so the user brings back the URL at which the login ended. */
function RedirectField({ send }: Pick<QuestionProps<LoginQuestion>, "send">) {
  const [url, setUrl] = useState("");
  return (
    <details>
      <summary>The login page is open on another machine</summary>
      <div className="stack details-body">
        <Field
          label="Redirect URL"
          hint="Paste the URL at which the login ended, also if that page could not be loaded."
        >
          {(attributes) => <TextInput {...attributes} code value={url} onValue={setUrl} />}
        </Field>
        <div>
          <ActionButton
            disabled={url.trim() === ""}
            onAction={() => send({ type: "login", action: "redirected", url: url.trim() })}
          >
            Send
          </ActionButton>
        </div>
      </div>
    </details>
  );
}
