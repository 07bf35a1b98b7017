/** Asks whether a server of a project's file may run, with its whole definition. */
import { describeSandboxToApprove, sanitizeLine } from "@plugboard/contracts";
import type { TrustQuestion } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Changes } from "../../components/changes.tsx";
import { FactList } from "../../components/layout.tsx";
import { DefinitionText } from "../../components/definition-text.tsx";
import type { QuestionProps } from "./question-props.ts";

export function TrustQuestionBody({ question, send }: QuestionProps<TrustQuestion>) {
  const { source, folder, transport, variables, sandbox, changes, definition } = question;
  return (
    <>
      <FactList
        facts={[
          ["File", `${source} file of ${sanitizeLine(folder)}`],
          ["Transport", transport],
          ["Values it gets", variables.length === 0 ? "none" : variables.map(sanitizeLine).join(", ")],
          ...(transport === "stdio" ? [["Sandbox", sanitizeLine(describeSandboxToApprove(sandbox))] as const] : []),
        ]}
      />
      <DefinitionText definition={definition} />
      {changes && changes.length > 0 && (
        <>
          <h3>Changed since you approved it</h3>
          <Changes changes={changes} />
        </>
      )}
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
