/** Adds or changes a server by the fields of its definition. */
import { useState } from "react";
import type { EditableScope } from "@plugboard/contracts";
import { useClient } from "../../../hooks/context.tsx";
import { toEntry } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { IdField } from "./id-field.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { ScopeField } from "./scope-field.tsx";
import { ServerForm } from "./server-form.tsx";
import { suggestId } from "./suggest-id.ts";
import { useScopes } from "./use-scopes.ts";
import { useServerId } from "./use-server-id.ts";

interface ServerDialogProps {
  readonly title: string;
  readonly initial: { readonly id: string; readonly scope?: EditableScope; readonly draft: Draft };
  /** True if the server exists, and its id and file stay. */
  readonly replace: boolean;
  /** Begins with the confirmation, because the definition is complete. */
  readonly confirmAtOnce?: boolean;
  readonly onClose: () => void;
  /** Shown before the fields. */
  readonly intro?: React.ReactNode;
}

export function ServerDialog({ title, initial, replace, confirmAtOnce = false, onClose, intro }: ServerDialogProps) {
  const client = useClient();
  const [scope, setScope] = useState<EditableScope>(initial.scope ?? "user");
  const scopes = useScopes();
  const [draft, setDraft] = useState(initial.draft);
  const serverId = useServerId(initial.id || suggestId(draft));
  const makePlan = async () => {
    const made = toEntry(draft);
    const isNamed = serverId.check();
    if ("error" in made) throw new Error(made.error);
    if (!isNamed) return undefined;
    const { id } = serverId;
    return client.connected.operations.planServer({ id, scope, entry: made.entry, replace });
  };
  return (
    <PlanDialog title={title} makePlan={makePlan} confirmAtOnce={confirmAtOnce} onClose={onClose}>
      {intro}
      <IdField {...serverId.field} disabled={replace} />
      <ServerForm draft={draft} onDraft={setDraft} folder={scopes.find((one) => one.scope === scope)?.folder} />
      {!replace && <ScopeField scopes={scopes} scope={scope} onScope={setScope} />}
    </PlanDialog>
  );
}
