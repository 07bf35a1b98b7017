/** A server asks for input by a form, or asks the user to visit a page. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ElicitationQuestion } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { ElicitationForm } from "../elicitation-form.tsx";
import { OpenedUrl } from "./opened-url.tsx";
import type { QuestionProps } from "./question-props.ts";

export function ElicitationQuestionBody({ question, send }: QuestionProps<ElicitationQuestion>) {
  const { elicitation, server, tool } = question;
  const decline = () => send({ type: "elicitation", action: "decline" });
  const intro = (
    <>
      <p className="prose">{sanitize(elicitation.message)}</p>
      <p className="small muted">
        The text is from {sanitizeLine(server)}
        {tool === undefined ? "" : `, during ${sanitizeLine(tool)}`}. Enter no password that it should not have.
      </p>
    </>
  );
  if (elicitation.mode === "url") {
    return (
      <>
        {intro}
        <OpenedUrl url={elicitation.url} />
        <div className="row-wrap">
          <ActionButton onAction={() => send({ type: "elicitation", action: "accept" })}>Done</ActionButton>
          <ActionButton onAction={decline}>Decline</ActionButton>
        </div>
      </>
    );
  }
  return (
    <>
      {intro}
      <ElicitationForm
        fields={elicitation.fields}
        onSubmit={(content) => send({ type: "elicitation", action: "accept", content })}
        onDecline={decline}
      />
    </>
  );
}
