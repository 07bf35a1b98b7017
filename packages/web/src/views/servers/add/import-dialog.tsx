/** Adds servers of other clients on this machine. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ImportableServer, ImportFile } from "@plugboard/contracts";
import { ActionButton, Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Check } from "../../../components/field.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Badge, EmptyState, Notice } from "../../../components/layout.tsx";
import { useToaster } from "../../../components/toasts.tsx";
import { plural } from "../../../format/format.ts";
import { useClient } from "../../../store/context.tsx";
import { useLoad } from "../../../store/use-load.ts";

export function ImportDialog({ onClose, ways }: { onClose: () => void; ways: React.ReactNode }) {
  const client = useClient();
  const { report } = useToaster();
  const plan = useLoad(({ management }) => management.planImport(), []);
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string, checked: boolean) => {
    const next = new Set(keys);
    if (checked) next.add(key);
    else next.delete(key);
    setKeys(next);
  };
  const importChosen = async () => {
    const imported = async () => {
      await client.connected.management.importServers(plan.data!.plan, [...keys]);
      await client.reloadConfig();
    };
    if (await report(imported(), `${plural(keys.size, "server")} imported`)) onClose();
  };
  const files = (plan.data?.files ?? []).filter(
    ({ servers, skipped, error }) => servers.length + skipped.length > 0 || error,
  );
  return (
    <Dialog
      title="Add a server"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton kind="primary" disabled={keys.size === 0} onAction={importChosen}>
            Import {plural(keys.size, "server")}
          </ActionButton>
        </>
      }
    >
      {ways}
      {plan.error !== undefined && <Notice tone="danger">{plan.error}</Notice>}
      {plan.loading && <p className="muted">Reading the files of other clients…</p>}
      {plan.data && files.length === 0 && <EmptyState title="No other client on this machine has servers" />}
      {files.map((file) => (
        <FileSection key={file.file} file={file} keys={keys} onToggle={toggle} />
      ))}
    </Dialog>
  );
}

interface FileSectionProps {
  readonly file: ImportFile;
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string, checked: boolean) => void;
}

function FileSection({ file: { label, file, servers, skipped, error }, keys, onToggle }: FileSectionProps) {
  return (
    <section className="stack-tight" aria-label={`${label} ${file}`}>
      <h3>
        {label} <code className="muted">{sanitizeLine(file)}</code>
      </h3>
      {error !== undefined && <Notice tone="warn">{sanitizeLine(error)}</Notice>}
      {servers.map((server) => (
        <ServerRow
          key={server.key}
          server={server}
          checked={keys.has(server.key)}
          onChecked={(checked) => onToggle(server.key, checked)}
        />
      ))}
      {skipped.map(({ name, reason }) => (
        <div key={name} className="small muted">
          {sanitizeLine(name)}: {sanitizeLine(reason)}
        </div>
      ))}
    </section>
  );
}

interface ServerRowProps {
  readonly server: ImportableServer;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
}

function ServerRow({ server: { id, action, runs, entry, target, notes }, checked, onChecked }: ServerRowProps) {
  return (
    <div className="import-row">
      <Check checked={checked} disabled={action === "none"} onChecked={onChecked}>
        <strong>{sanitizeLine(id)}</strong> {action === "none" && <Badge>already here</Badge>}
        {action === "replace" && <Badge tone="warn">replaces yours</Badge>}
        {runs !== undefined && (
          <div>
            <code>{sanitizeLine(runs)}</code>
          </div>
        )}
      </Check>
      {notes.map((note) => (
        <div key={note} className="small muted">
          {sanitizeLine(note)}
        </div>
      ))}
      {action !== "none" && (
        <details className="small">
          <summary>Whole definition, for {sanitizeLine(target)}</summary>
          <div className="code-block">
            <JsonView value={entry} />
          </div>
        </details>
      )}
    </div>
  );
}
