/** What the owner can do with a server: enable, log in, connect, edit, remove. */
import { useState } from "react";
import { hasUrl, sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { ActionDialog } from "../../components/dialog.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { hrefOf } from "../../hooks/route.ts";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { EditServerDialog } from "./edit/edit-server-dialog.tsx";
import { EnableSwitch } from "./enable-switch.tsx";
import { isEditableSource } from "./editable-source.ts";

export function ServerActions({ status, onChanged }: { status: ServerStatus; onChanged: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { id, state, login, transport, enabled, source } = status;
  const act = async (change: Promise<unknown>, done: string) => {
    await report(change, done);
    onChanged();
    // An error of the refresh is ignored, because the next event reads the status again.
    await client.refresh().catch(() => {});
  };
  const { servers } = client.connected.workspace;
  const isRemote = hasUrl(transport);
  const isOpen = state === "ready" || state === "connecting";
  return (
    <>
      <span className="row">
        <EnableSwitch server={status} />
        <span className="small muted" aria-hidden="true">
          {enabled ? "on" : "off"}
        </span>
      </span>
      {enabled && (state === "auth_required" || (isRemote && !login)) && (
        <ActionButton
          kind={state === "auth_required" ? "primary" : "plain"}
          onAction={() => act(servers.login(id), `Logged in at ${id}`)}
        >
          Log in
        </ActionButton>
      )}
      {login && <ActionButton onAction={() => act(servers.logout(id), `Logged out of ${id}`)}>Log out</ActionButton>}
      {enabled && (
        <ActionButton
          onAction={() =>
            isOpen
              ? act(servers.reconnect(id), `${id} is connected again`)
              : act(servers.connect(id), `${id} is connected`)
          }
        >
          {isOpen ? "Reconnect" : "Connect"}
        </ActionButton>
      )}
      {isEditableSource(source) && (
        <>
          <Button onClick={() => setEditing(true)}>Edit</Button>
          <Button kind="danger" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </>
      )}
      {editing && <EditServerDialog id={id} onClose={() => setEditing(false)} />}
      {removing && <RemoveDialog id={id} onClose={() => setRemoving(false)} />}
    </>
  );
}

function RemoveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const definitions = useLoad(({ operations }) => operations.definitions(id), [id]);
  const removable = (definitions.data ?? []).find(({ scope }) => scope !== undefined);
  const remove = async () => {
    const removed = async () => {
      await client.connected.operations.removeServers([id], removable!.scope);
      await client.reloadConfig();
    };
    if (!(await report(removed(), `${id} is removed from ${removable!.file}`))) return;
    onClose();
    location.hash = hrefOf("servers");
  };
  return (
    <ActionDialog
      title={`Remove ${sanitizeLine(id)}?`}
      onClose={onClose}
      action="Remove"
      kind="danger"
      disabled={!removable}
      onAction={remove}
    >
      {removable ? (
        <p>
          This removes its definition from <code>{sanitizeLine(removable.file)}</code> and stops it.
        </p>
      ) : (
        <p>
          {definitions.loading
            ? "Reading the config files…"
            : "It is defined where the page can't change it, such as on the command line."}
        </p>
      )}
    </ActionDialog>
  );
}
