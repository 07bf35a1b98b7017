/** Asks whether a tool may be called, with all arguments. */
import { useState } from "react";
import { mayAllowEveryone, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { PermissionAnswer, PermissionQuestion } from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Changes } from "../../components/changes.tsx";
import { TextInput } from "../../components/field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Notice } from "../../components/layout.tsx";
import { useArmed } from "../../hooks/use-armed.ts";
import { alwaysScope, EVERYONE_SCOPE, sessionScope } from "../describe-decision.ts";
import { questionCaller } from "../describe-question.ts";
import type { QuestionProps } from "./question-props.ts";

interface PermissionQuestionProps extends QuestionProps<PermissionQuestion> {
  /** True if the description of the tool stands above the question. It then comes after the answers. */
  readonly besideTool: boolean;
}

export function PermissionQuestionBody({ question, send, besideTool }: PermissionQuestionProps) {
  const { description, preview, rule, pin, changes } = question;
  const [reason, setReason] = useState("");
  const disabled = !useArmed();
  const caller = questionCaller(question);
  const session = caller ? sessionScope(caller) : "the caller, until its session ends";
  const always = alwaysScope(caller ?? {});
  const hasOtherClients = mayAllowEveryone(question);
  const answer = (given: PermissionAnswer) => () => send(given);
  const deny = () =>
    send({ type: "permission", decision: "no", ...(reason.trim() !== "" && { reason: reason.trim() }) });
  return (
    <>
      {!besideTool && description !== undefined && <p className="prose muted">{sanitize(description)}</p>}
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
        <ActionButton kind="primary" disabled={disabled} onAction={answer({ type: "permission", decision: "once" })}>
          Allow once
        </ActionButton>
        {pin !== undefined && (
          <>
            <ActionButton
              disabled={disabled}
              title={`Session: ${session}`}
              onAction={answer({ type: "permission", decision: "session" })}
            >
              Allow for this session
            </ActionButton>
            <ActionButton
              disabled={disabled}
              title={`Always: ${always}`}
              onAction={answer({ type: "permission", decision: "always" })}
            >
              Always allow
            </ActionButton>
            {hasOtherClients && (
              <ActionButton
                disabled={disabled}
                title={`Every client: ${EVERYONE_SCOPE}`}
                onAction={answer({ type: "permission", decision: "always", for: "everyone" })}
              >
                Always allow every client
              </ActionButton>
            )}
          </>
        )}
      </div>
      {pin !== undefined && (
        <p className="small muted">
          Session: {session}. Always: {always}.{hasOtherClients && ` Every client: ${EVERYONE_SCOPE}.`}
          {rule !== undefined && " The rule does not ask again about calls that you allow this way."}
        </p>
      )}
      <div className="row-wrap">
        <ActionButton kind="danger" onAction={deny}>
          Deny
        </ActionButton>
        <div className="grow reason">
          <TextInput
            aria-label="Reason that the model sees"
            placeholder="Reason for a denial (optional)"
            value={reason}
            onValue={setReason}
          />
        </div>
      </div>
      {besideTool && description !== undefined && (
        <details>
          <summary>Description of the tool</summary>
          <p className="prose muted">{sanitize(description)}</p>
        </details>
      )}
    </>
  );
}
