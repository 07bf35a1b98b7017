/** A server of a project's file that waits for approval, with everything that it would run or get. */
import { useState } from "react";
import { describeSandboxToApprove, sanitizeLine } from "@plugboard/contracts";
import type { PendingServer } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Changes } from "../../components/changes.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Badge, FactList, Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../hooks/context.tsx";
import { DefinitionText } from "../../components/definition-text.tsx";

export function TrustCard({ server, onDone }: { server: PendingServer; onDone: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="card card-body question row-wrap">
      <Badge tone="warn" dot>
        needs approval
      </Badge>
      <span className="grow">
        <strong>{sanitizeLine(server.id)}</strong> is defined by a file of this project
        {server.changes ? ", and has changed since you approved it" : ""}.
      </span>
      <Button onClick={() => setOpen(true)}>Review</Button>
      {open && <TrustDialog server={server} onClose={() => setOpen(false)} onDone={onDone} />}
    </div>
  );
}

function TrustDialog({ server, onClose, onDone }: { server: PendingServer; onClose: () => void; onDone: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const { id, hash, source, folder, transport, definition, variables, sandbox, changes, replaces } = server;
  const approve = async () => {
    const { workspace } = client.connected;
    const approved = async () => {
      await workspace.config.trust(id, hash);
      await workspace.servers.connect(id);
    };
    await report(approved(), `${id} is approved`);
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={`Approve ${sanitizeLine(id)}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <ActionButton kind="primary" onAction={approve}>
            Approve this definition
          </ActionButton>
        </>
      }
    >
      <p>A file of the project defines this server. Approve it only if you trust what it runs.</p>
      <FactList
        facts={[
          ["File", `${source} file of ${sanitizeLine(folder)}`],
          ["Transport", transport],
          ["Values it gets", variables.length === 0 ? "none" : variables.map(sanitizeLine).join(", ")],
          ...(transport === "stdio" ? [["Sandbox", sanitizeLine(describeSandboxToApprove(sandbox))] as const] : []),
        ]}
      />
      {replaces && <Notice tone="warn">It replaces your server of the same id from the {replaces} file.</Notice>}
      <DefinitionText definition={definition} />
      {changes && changes.length > 0 && (
        <>
          <h3>Changed since you approved it</h3>
          <Changes changes={changes} />
        </>
      )}
    </Dialog>
  );
}
