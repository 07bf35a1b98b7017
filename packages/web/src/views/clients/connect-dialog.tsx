/** Sets up a client: by one click on this machine, after the exact change of its file is shown, or by hand. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo, ConnectInstructions, ConnectPlan } from "@plugboard/contracts";
import { ActionButton, Button, CodeBlock } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { FileDiff } from "./file-diff.tsx";
import { ProfileField } from "./profile-field.tsx";
import { useClientChange } from "./use-client-change.ts";

interface ConnectDialogProps {
  readonly client: ClientInfo;
  readonly profiles: readonly string[];
  readonly onClose: () => void;
  /** Called with notes that say what to do next in the client. */
  readonly onDone: (notes: readonly string[]) => void;
}

type Way = "file" | "hand";

export function ConnectDialog({ client: { client: name, label, installed }, ...props }: ConnectDialogProps) {
  const { profiles, onClose, onDone } = props;
  const changeClient = useClientChange(({ notes }) => {
    onDone(notes);
    onClose();
  });
  const [way, setWay] = useState<Way>(installed ? "file" : "hand");
  const [profile, setProfile] = useState("");
  const options = profile === "" ? {} : { profile };
  const plan = useLoad(
    async ({ operations }) => withCopyNotes(await operations.planConnect(name, options)),
    [name, profile],
  );
  const instructions = useLoad(({ operations }) => operations.connectInstructions(name, options), [name, profile]);
  const canWrite = way === "file" && plan.data !== undefined && plan.data.action !== "none" && !plan.loading;
  return (
    <Dialog
      title={`Set up ${label}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{way === "file" ? "Cancel" : "Done"}</Button>
          {way === "file" && (
            <ActionButton
              kind="primary"
              disabled={!canWrite}
              onAction={() => changeClient(plan.data!, `${label} is set up`)}
            >
              Write the file
            </ActionButton>
          )}
        </>
      }
    >
      <Tabs
        label="How to set it up"
        selected={way}
        onSelect={(id) => setWay(id as Way)}
        tabs={[
          { id: "file", title: "Change the file" },
          { id: "hand", title: "By hand" },
        ]}
      >
        {profiles.length > 0 && <ProfileField value={profile} onValue={setProfile} profiles={profiles} />}
        {way === "file" && (
          <>
            {!installed && (
              <Notice>{label} was not found on this machine. The file takes effect once it is installed.</Notice>
            )}
            {plan.error !== undefined && <Notice tone="danger">{plan.error}</Notice>}
            {plan.data && <FileDiff plan={plan.data} />}
          </>
        )}
        {way === "hand" && (
          <>
            {instructions.error !== undefined && <Notice tone="danger">{instructions.error}</Notice>}
            {instructions.data && <ByHand name={name} profile={profile} instructions={instructions.data} />}
          </>
        )}
      </Tabs>
    </Dialog>
  );
}

/** Adds a note about servers that the client starts itself, although it gets the same from Plugboard. */
function withCopyNotes(plan: ConnectPlan): ConnectPlan {
  const { label, file, imported, notes } = plan;
  if (imported.length === 0) return plan;
  const them = imported.length === 1 ? "it" : "them";
  const note = `${label} still starts its own ${imported.join(", ")}. Remove ${them} from ${file}, because Plugboard offers the same.`;
  return { ...plan, notes: [...notes, note] };
}

interface ByHandProps {
  readonly name: string;
  readonly profile: string;
  readonly instructions: ConnectInstructions;
}

function ByHand({ name, profile, instructions: { label, file, snippets, notes } }: ByHandProps) {
  const command = `plugboard connect ${name}${profile === "" ? "" : ` --profile ${profile}`}`;
  return (
    <>
      {snippets.map(({ transport, text }) => (
        <section key={transport} className="stack-tight">
          <h3>{transport === "stdio" ? "By a command" : "By URL"}</h3>
          <p>
            {transport === "stdio"
              ? `${label} starts Plugboard itself and needs no token.`
              : "Put a token of your own in place of <token>, and keep the host running."}
          </p>
          <CodeBlock label={transport === "stdio" ? "Entry with a command" : "Entry with a URL"} text={text} />
        </section>
      ))}
      <p>
        Merge it into <code>{sanitizeLine(file)}</code>, or run this where {label} is installed:
      </p>
      <CodeBlock label="Command that sets it up" text={command} />
      {notes.map((note) => (
        <Notice key={note}>{sanitizeLine(note)}</Notice>
      ))}
    </>
  );
}
