/** Adds or changes the definition of a server: a form, then the exact command to confirm, test and save. */
import { useState } from "react";
import type { EditableScope, ServerEntry, ServerPlan, ServerTest } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Select, TextInput } from "../../components/field.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { hrefOf } from "../../shell/route.ts";
import { messageOf, useClient, useLoad } from "../../store/context.tsx";
import { EMPTY_DRAFT, toDraft, toEntry } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { PlanReview, TestResult } from "./plan-review.tsx";
import { ServerForm } from "./server-form.tsx";

const SCOPE_LABELS: { readonly [Scope in EditableScope]: string } = {
  user: "You, in every folder",
  project: "Everybody in this project",
  local: "You, in this project",
};

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
  readonly onClose: () => void;
  /** Shown before the fields. */
  readonly intro?: React.ReactNode;
}

export function ServerDialog({ title, initial, replace, onClose, intro }: ServerDialogProps) {
  const client = useClient();
  const { show } = useToaster();
  const overview = useLoad(({ management }) => management.overview(), []);
  const [id, setId] = useState(initial.id);
  const [scope, setScope] = useState<EditableScope>(initial.scope ?? "user");
  const [draft, setDraft] = useState(initial.draft);
  const [plan, setPlan] = useState<ServerPlan>();
  const [test, setTest] = useState<ServerTest>();
  const [error, setError] = useState<string>();
  const { management } = client.connected;
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const review = () =>
    attempt(async () => {
      const made = toEntry(draft);
      if ("error" in made) throw new Error(made.error);
      if (id.trim() === "") throw new Error("Give the server an id, such as files.");
      setTest(undefined);
      setPlan(await management.planServer({ id: id.trim(), scope, entry: made.entry, replace }));
    });
  const runTest = () =>
    attempt(async () => {
      setTest(undefined);
      setTest(await management.testServer(plan!.plan));
    });
  const save = () =>
    attempt(async () => {
      const saved = await management.saveServer(plan!.plan);
      show(`${saved.id} is saved in ${saved.file}`);
      await client.reloadConfig();
      onClose();
      location.hash = hrefOf("servers", saved.id);
    });
  const scopes = overview.data?.scopes ?? [];
  return (
    <Dialog
      title={plan ? "Confirm what will run" : title}
      onClose={onClose}
      actions={
        plan ? (
          <>
            <Button onClick={() => setPlan(undefined)}>Back</Button>
            <ActionButton onAction={runTest}>Test it</ActionButton>
            <ActionButton kind="primary" onAction={save}>
              Save
            </ActionButton>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <ActionButton kind="primary" onAction={review}>
              Continue
            </ActionButton>
          </>
        )
      }
    >
      {plan ? (
        <>
          <PlanReview plan={plan} />
          {test && <TestResult test={test} />}
        </>
      ) : (
        <>
          {intro}
          <Field label="Id" required hint="A short name. Tools are called as id:tool.">
            {(attributes) => (
              <TextInput {...attributes} code placeholder="files" disabled={replace} value={id} onValue={setId} />
            )}
          </Field>
          <ServerForm draft={draft} onDraft={setDraft} />
          {!replace && scopes.length > 0 && (
            <Field label="Who gets it" hint={<code>{scopes.find((one) => one.scope === scope)?.file}</code>}>
              {(attributes) => (
                <Select
                  {...attributes}
                  value={scope}
                  onValue={(value) => setScope(value as EditableScope)}
                  choices={scopes.map((one) => ({ value: one.scope, label: SCOPE_LABELS[one.scope] }))}
                />
              )}
            </Field>
          )}
        </>
      )}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
    </Dialog>
  );
}

export function draftOf(entry: ServerEntry | undefined): Draft {
  return entry ? toDraft(JSON.parse(JSON.stringify(entry)) as never) : EMPTY_DRAFT;
}
