/** Edits the definition of a server that is in effect. */
import { Dialog } from "../../../components/dialog.tsx";
import { useLoad } from "../../../hooks/use-load.ts";
import { toDraft } from "./draft.ts";
import { ServerDialog } from "./server-dialog.tsx";

export function EditServerDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const definitions = useLoad(({ operations }) => operations.definitions(id), [id]);
  const editable = definitions.data?.find(({ scope, config }) => scope && config);
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
          It is defined where the page can't change it: on the command line, by a program, or by your administrator.
        </p>
      </Dialog>
    );
  }
  return (
    <ServerDialog
      title={`Edit ${id}`}
      initial={{ id, scope: editable.scope!, draft: toDraft(editable.config!) }}
      replace
      onClose={onClose}
    />
  );
}
