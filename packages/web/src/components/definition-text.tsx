import type { PendingServer } from "@plugboard/contracts";
import { JsonView } from "./json-view.tsx";

/** The whole definition. Nothing is folded or cut. */
export function DefinitionText({ definition }: { definition: PendingServer["definition"] }) {
  return (
    <div className="code-block" role="group" aria-label="Definition" tabIndex={0}>
      <JsonView value={definition} unfolded />
    </div>
  );
}
