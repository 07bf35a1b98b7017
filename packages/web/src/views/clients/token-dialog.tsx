/** Creates a token, and shows it once. Only this dialog has it, so it is gone when the dialog closes. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { Button, CodeBlock } from "../../components/button.tsx";
import { ActionDialog, Dialog } from "../../components/dialog.tsx";
import { CheckBox, Field, TextInput } from "../../components/field.tsx";
import { Notice } from "../../components/layout.tsx";
import { messageOf } from "../../format/message-of.ts";
import { useClient } from "../../hooks/context.tsx";
import { ProfileField } from "./profile-field.tsx";
import { urlEntry } from "./url-entry.ts";

interface TokenDialogProps {
  readonly profiles: readonly string[];
  readonly endpoint: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function TokenDialog({ profiles, endpoint, onClose, onDone }: TokenDialogProps) {
  const client = useClient();
  const [name, setName] = useState("");
  const [profile, setProfile] = useState("");
  const [mayApprove, setMayApprove] = useState(false);
  const [token, setToken] = useState<string>();
  const [error, setError] = useState<string>();
  const create = async () => {
    setError(undefined);
    try {
      const options = { mayApprove, ...(profile !== "" && { profile }) };
      setToken(await client.connected.operations.createToken(name.trim(), options));
      onDone();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  if (token !== undefined) return <NewToken {...{ name, profile, token, endpoint, onClose }} />;
  return (
    <ActionDialog title="New token" onClose={onClose} action="Create" disabled={name.trim() === ""} onAction={create}>
      <Field
        label="Name"
        required
        hint="The client that uses it, such as cursor: letters, digits, dots, dashes and underscores."
      >
        {(attributes) => <TextInput {...attributes} data-initial-focus value={name} onValue={setName} />}
      </Field>
      <ProfileField value={profile} onValue={setProfile} profiles={profiles} />
      <CheckBox checked={mayApprove} onChecked={setMayApprove}>
        The client asks me itself: calls that no rule mentions run without a question
      </CheckBox>
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
    </ActionDialog>
  );
}

interface NewTokenProps {
  readonly name: string;
  readonly profile: string;
  readonly token: string;
  readonly endpoint: string | undefined;
  readonly onClose: () => void;
}

function NewToken({ name, profile, token, endpoint, onClose }: NewTokenProps) {
  return (
    <Dialog
      title={`Token of ${sanitizeLine(name)}`}
      onClose={onClose}
      ignoresEscape
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Notice tone="warn">Copy it now. It is not shown again.</Notice>
      <CodeBlock label="Token" text={token} />
      {endpoint === undefined ? (
        <p className="small muted">
          The client sends it in the header <code>Authorization: Bearer …</code>
        </p>
      ) : (
        <>
          <p>With it, the entry of most clients is:</p>
          <CodeBlock label="Entry with the token" text={urlEntry(endpoint, token, profile)} />
        </>
      )}
    </Dialog>
  );
}
