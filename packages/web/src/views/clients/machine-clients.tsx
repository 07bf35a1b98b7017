/** The clients whose files Plugboard can change: those of this machine first. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import { useLoad } from "../../store/context.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";

interface Opened {
  readonly client: ClientInfo;
  readonly dialog: "connect" | "disconnect";
}

export function MachineClients({ profiles }: { profiles: readonly string[] }) {
  const clients = useLoad(({ management }) => management.clients(), []);
  const [opened, setOpened] = useState<Opened>();
  const isHere = ({ installed, connectedBy }: ClientInfo) => installed || connectedBy.length > 0;
  const here = (clients.data ?? []).filter(isHere);
  const others = (clients.data ?? []).filter((client) => !isHere(client));
  const rows = (list: readonly ClientInfo[]) =>
    list.map((client) => <ClientRow key={client.client} client={client} onOpen={setOpened} />);
  const close = () => setOpened(undefined);
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
        <ConnectDialog client={opened.client} profiles={profiles} onClose={close} onDone={clients.reload} />
      )}
      {opened?.dialog === "disconnect" && (
        <DisconnectDialog client={opened.client} onClose={close} onDone={clients.reload} />
      )}
    </Card>
  );
}

function ClientRow({ client, onOpen }: { client: ClientInfo; onOpen: (opened: Opened) => void }) {
  const { label, connectedBy } = client;
  const isConnected = connectedBy.length > 0;
  return (
    <div className="row-wrap" role="group" aria-label={label}>
      <div className="row-name">
        <strong>{label}</strong>
        {connectedBy.map((file) => (
          <div key={file} className="small muted">
            <code>{sanitizeLine(file)}</code>
          </div>
        ))}
      </div>
      {isConnected && (
        <>
          <Badge tone="ok" dot>
            connected
          </Badge>
          <Button small onClick={() => onOpen({ client, dialog: "disconnect" })}>
            Disconnect
          </Button>
        </>
      )}
      <Button small onClick={() => onOpen({ client, dialog: "connect" })}>
        {isConnected ? "Change" : "Connect"}
      </Button>
    </div>
  );
}
