/** Removes Plugboard from the file of a client, after the exact change is shown. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo } from "@plugboard/contracts";
import { ActionDialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/layout.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { FileDiff } from "./file-diff.tsx";
import { useClientChange } from "./use-client-change.ts";

interface DisconnectDialogProps {
  readonly client: ClientInfo;
  readonly onClose: () => void;
  /** Called with notes that say what to do next in the client. */
  readonly onDone: (notes: readonly string[]) => void;
}

export function DisconnectDialog({ client: { client: name, label }, onClose, onDone }: DisconnectDialogProps) {
  const changeClient = useClientChange(({ notes }) => {
    onDone(notes);
    onClose();
  });
  const plan = useLoad(({ operations }) => operations.planDisconnect(name), [name]);
  return (
    <ActionDialog
      title={`Remove Plugboard from ${label}`}
      onClose={onClose}
      action="Write the file"
      kind="danger"
      disabled={!plan.data || plan.data.action === "none"}
      onAction={() => changeClient(plan.data!, `${label} no longer uses Plugboard`)}
    >
      {plan.error !== undefined && <Notice tone="danger">{sanitizeLine(plan.error)}</Notice>}
      {plan.data && <FileDiff plan={plan.data} />}
    </ActionDialog>
  );
}
