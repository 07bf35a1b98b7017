/** Removes Plugboard from the file of a client, after the exact change is shown. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient, useLoad } from "../../store/context.tsx";
import { FileDiff } from "./file-diff.tsx";

interface DisconnectDialogProps {
  readonly client: ClientInfo;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DisconnectDialog({ client: { client: name, label }, onClose, onDone }: DisconnectDialogProps) {
  const client = useClient();
  const { report } = useToaster();
  const plan = useLoad(({ management }) => management.planDisconnect(name), [name]);
  const disconnect = async () => {
    const done = await report(client.connected.management.changeClient(plan.data!.plan), `${label} is disconnected`);
    if (!done) return;
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={`Disconnect ${label}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton kind="danger" disabled={!plan.data || plan.data.action === "none"} onAction={disconnect}>
            Write the file
          </ActionButton>
        </>
      }
    >
      {plan.error !== undefined && <Notice tone="danger">{sanitizeLine(plan.error)}</Notice>}
      {plan.data && <FileDiff plan={plan.data} />}
    </Dialog>
  );
}
