/**
 * The clients whose files Plugboard can change, those on this machine first. A client is set up if one of its files has
 * an entry for Plugboard.
 */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { ConnectDialog } from "./connect-dialog.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";

interface Opened {
  readonly client: ClientInfo;
  readonly dialog: "connect" | "disconnect";
}

export function MachineClients({ profiles }: { profiles: readonly string[] }) {
  const clients = useLoad(({ operations }) => operations.clients(), []);
  const [opened, setOpened] = useState<Opened>();
  const isHere = (client: ClientInfo) => client.installed || connectedFiles(client).length > 0;
  const here = (clients.data ?? []).filter(isHere);
  const others = (clients.data ?? []).filter((client) => !isHere(client));
  const rows = (list: readonly ClientInfo[]) =>
    list.map((client) => (
      <ClientRow key={client.client} client={client} nextSteps={nextSteps[client.client] ?? []} onOpen={setOpened} />
    ));
  const close = () => setOpened(undefined);
  /** What to do next in each client that was changed. */
  const [nextSteps, setNextSteps] = useState<{ readonly [client: string]: readonly string[] }>({});
  const onChanged = ({ client }: ClientInfo, notes: readonly string[]) => {
    setNextSteps((old) => ({ ...old, [client]: notes }));
    clients.reload();
  };
  return (
    <Card title="Clients on this machine">
      {clients.error !== undefined && <Notice tone="danger">{clients.error}</Notice>}
      {clients.loading && !clients.data && <p className="muted">Looking for clients…</p>}
      {clients.data && here.length === 0 && <p className="muted">No known client was found on this machine.</p>}
      {rows(here)}
      {others.length > 0 && (
        <details>
          <summary>Clients that were not found</summary>
          <div className="stack details-body">{rows(others)}</div>
        </details>
      )}
      {opened?.dialog === "connect" && (
        <ConnectDialog
          client={opened.client}
          profiles={profiles}
          onClose={close}
          onDone={(notes) => onChanged(opened.client, notes)}
        />
      )}
      {opened?.dialog === "disconnect" && (
        <DisconnectDialog client={opened.client} onClose={close} onDone={(notes) => onChanged(opened.client, notes)} />
      )}
    </Card>
  );
}

interface ClientRowProps {
  readonly client: ClientInfo;
  readonly nextSteps: readonly string[];
  readonly onOpen: (opened: Opened) => void;
}

function ClientRow({ client, nextSteps, onOpen }: ClientRowProps) {
  const { label } = client;
  const files = connectedFiles(client);
  const isSetUp = files.length > 0;
  return (
    <div className="row-wrap" role="group" aria-label={label}>
      <div className="row-name">
        <strong>{label}</strong>
        {files.map((file) => (
          <div key={file} className="small muted">
            <code>{sanitizeLine(file)}</code>
          </div>
        ))}
        {nextSteps.map((step) => (
          <div key={step} className="small" role="status">
            {sanitizeLine(step)}
          </div>
        ))}
      </div>
      {isSetUp && (
        <>
          <Badge tone="ok" dot>
            set up
          </Badge>
          <Button small onClick={() => onOpen({ client, dialog: "disconnect" })}>
            Remove
          </Button>
        </>
      )}
      <Button small onClick={() => onOpen({ client, dialog: "connect" })}>
        {isSetUp ? "Change" : "Set up"}
      </Button>
    </div>
  );
}

/** Returns the files with an entry that leads to Plugboard. */
function connectedFiles({ files }: ClientInfo): string[] {
  return files.filter(({ connections }) => connections.length > 0).map(({ file }) => file);
}
