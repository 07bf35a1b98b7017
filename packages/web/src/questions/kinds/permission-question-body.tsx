/** Asks whether a tool may be called, with all arguments. */
import { useState } from "react";
import { offeredAnswers, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { PermissionAnswer, PermissionQuestion } from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Changes } from "../../components/changes.tsx";
import { TextInput } from "../../components/field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Notice } from "../../components/layout.tsx";
import { useArmed } from "../../hooks/use-armed.ts";
import { grantScope } from "../describe-decision.ts";
import { questionCaller } from "../describe-question.ts";
import type { QuestionProps } from "./question-props.ts";

interface PermissionQuestionProps extends QuestionProps<PermissionQuestion> {
  /** True if the view already shows the description of the tool. The description then follows the answers, folded. */
  readonly besideTool: boolean;
}

export function PermissionQuestionBody({ question, send, besideTool }: PermissionQuestionProps) {
  const { description, preview, rule, changes } = question;
  const [reason, setReason] = useState("");
  const disabled = !useArmed();
  const caller = questionCaller(question);
  const answers = offeredAnswers(question).filter(([name]) => name !== "no");
  const scopes = answers.flatMap(([, { label, grant }]) => (grant ? [`${label}: ${grantScope(grant, caller)}.`] : []));
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
        {answers.map(([name, { label, grant, answer: given }]) => (
          <ActionButton
            key={name}
            kind={grant ? "plain" : "primary"}
            disabled={disabled}
            title={grant && `${label}: ${grantScope(grant, caller)}`}
            onAction={answer(given)}
          >
            {label}
          </ActionButton>
        ))}
      </div>
      {scopes.length > 0 && (
        <p className="small muted">
          {scopes.join(" ")}
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
