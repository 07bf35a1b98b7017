/** Asks whether a server may send a request to the user's model. */
import type { SamplingQuestion } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { JsonView } from "../../components/json-view.tsx";
import type { QuestionProps } from "./question-props.ts";

export function SamplingQuestionBody({ question, send }: QuestionProps<SamplingQuestion>) {
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
