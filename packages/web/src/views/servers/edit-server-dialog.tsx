/** Adds or changes the definition of a server by its fields. */
import { useState } from "react";
import type { EditableScope } from "@plugboard/contracts";
import { Dialog } from "../../components/dialog.tsx";
import { useClient, useLoad } from "../../store/context.tsx";
import { toDraft, toEntry } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { IdField, requireId } from "./id-field.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { ScopeField } from "./scope-field.tsx";
import { ServerForm } from "./server-form.tsx";

/** Edits the definition that is in effect. */
export function EditServerDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const definitions = useLoad(({ management }) => management.definitions(id), [id]);
  const editable = definitions.data?.find(({ scope, entry }) => scope && entry);
  if (!definitions.data) {
    return (
      <Dialog title={`Edit ${id}`} onClose={onClose}>
        <p className="muted">{definitions.error ?? "Reading the config files…"}</p>
      </Dialog>
    );
  }
  if (!editable) {
    return (
      <Dialog title={`Edit ${id}`} onClose={onClose}>
        <p>
          It is defined where the page can’t change it: on the command line, by a program, or by your administrator.
        </p>
      </Dialog>
    );
  }
  return (
    <ServerDialog
      title={`Edit ${id}`}
      initial={{ id, scope: editable.scope!, draft: toDraft(editable.entry!) }}
      replace
      onClose={onClose}
    />
  );
}

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
  const [id, setId] = useState(initial.id);
  const [scope, setScope] = useState<EditableScope>(initial.scope ?? "user");
  const [draft, setDraft] = useState(initial.draft);
  const makePlan = async () => {
    const made = toEntry(draft);
    if ("error" in made) throw new Error(made.error);
    return client.connected.management.planServer({ id: requireId(id), scope, entry: made.entry, replace });
  };
  return (
    <PlanDialog title={title} makePlan={makePlan} confirmAtOnce={confirmAtOnce} onClose={onClose}>
      {intro}
      <IdField id={id} onId={setId} disabled={replace} />
      <ServerForm draft={draft} onDraft={setDraft} />
      {!replace && <ScopeField scope={scope} onScope={setScope} />}
    </PlanDialog>
  );
}
