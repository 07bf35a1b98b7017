/** Adds servers of other clients on this machine. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ImportableServer, ImportFile, ImportResult } from "@plugboard/contracts";
import { Button } from "../../../components/button.tsx";
import { ActionDialog } from "../../../components/dialog.tsx";
import { CheckBox } from "../../../components/field.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Badge, EmptyState, Notice } from "../../../components/layout.tsx";
import { MessageText } from "../../../components/message-text.tsx";
import { useToaster } from "../../../components/toasts.tsx";
import { plural } from "../../../format/format.ts";
import { useClient } from "../../../hooks/context.tsx";
import { useLoad } from "../../../hooks/use-load.ts";
import { SecretsChoice } from "../secrets-choice.tsx";
import { chooseAll, chooseServer, isImportable, withSameId } from "./import-choice.ts";
import type { ImportChoice } from "./import-choice.ts";

export function ImportDialog({ onClose, ways }: { onClose: () => void; ways: React.ReactNode }) {
  const client = useClient();
  const { report } = useToaster();
  const plan = useLoad(({ operations }) => operations.planImport({ replace: true }), []);
  const [choice, setChoice] = usePlanState<ImportChoice>(plan.data?.plan, new Set());
  const [plainSecrets, setPlainSecrets] = usePlanState<ReadonlySet<string>>(plan.data?.plan, new Set());
  const secretStoreProblem = plan.data?.secretStoreProblem;
  const files = (plan.data?.files ?? []).filter(
    ({ servers, skipped, error }) => servers.length + skipped.length > 0 || error,
  );
  const servers = files.flatMap((file) => file.servers);
  const importable = servers.filter(isImportable);
  const keepsPlainSecrets = ({ key }: ImportableServer) => secretStoreProblem !== undefined || plainSecrets.has(key);
  const importChosen = async () => {
    const plain = servers.filter(keepsPlainSecrets).map(({ key }) => key);
    const importServers = async () => {
      const { operations } = client.connected;
      throwIfFailed(await operations.importServers(plan.data!.plan, [...choice], { plainSecrets: plain }), servers);
    };
    const isDone = await report(importServers(), `${plural(choice.size, "server")} imported`);
    // Some servers may have been imported before an error, so the config and the plan have changed then, too.
    await report(client.reloadConfig());
    if (isDone) onClose();
    else plan.reload();
  };
  const state: RowState = {
    choice,
    hasSameId: (server) => withSameId(server, importable).length > 0,
    keepsPlainSecrets,
    secretStoreProblem,
    unencrypted: plan.data?.unencrypted ?? false,
    onChosen: (server, chosen) =>
      setChoice(chosen ? chooseServer(choice, server, servers) : withMember(choice, server.key, false)),
    onKeepPlain: ({ key }, plain) => setPlainSecrets(withMember(plainSecrets, key, plain)),
  };
  return (
    <ActionDialog
      title="Add a server"
      onClose={onClose}
      action={`Import ${plural(choice.size, "server")}`}
      disabled={choice.size === 0}
      onAction={importChosen}
    >
      {ways}
      {plan.error !== undefined && <Notice tone="danger">{plan.error}</Notice>}
      {plan.loading && <p className="muted">Reading the files of other clients…</p>}
      {plan.data && files.length === 0 && <EmptyState title="No other client on this machine has servers" />}
      {importable.length > 1 && (
        <div className="row-wrap">
          <span className="small muted grow" role="status">
            {choice.size} of {plural(importable.length, "server")} selected
          </span>
          <Button small onClick={() => setChoice(chooseAll(choice, servers))}>
            Select all
          </Button>
          <Button small onClick={() => setChoice(new Set())}>
            Select none
          </Button>
        </div>
      )}
      {files.map((file) => (
        <FileSection key={file.file} file={file} state={state} />
      ))}
    </ActionDialog>
  );
}

/** A new plan gets the initial value again, because its keys may belong to other servers. */
function usePlanState<Value>(plan: string | undefined, initial: Value): [Value, (value: Value) => void] {
  const [state, setState] = useState({ plan, value: initial });
  return [state.plan === plan ? state.value : initial, (value) => setState({ plan, value })];
}

function throwIfFailed({ imported, failed }: ImportResult, servers: readonly ImportableServer[]): void {
  if (!failed) return;
  const idOf = (key: string) => servers.find((server) => server.key === key)?.id ?? key;
  const before = imported.length === 0 ? "" : ` Imported before: ${imported.map(idOf).join(", ")}.`;
  throw new Error(`"${idOf(failed.key)}" was not imported. ${failed.error.message}${before}`);
}

function withMember(set: ReadonlySet<string>, key: string, isMember: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (isMember) next.add(key);
  else next.delete(key);
  return next;
}

interface RowState {
  readonly choice: ImportChoice;
  /** Returns whether another server has the same id, so that only one of them can be imported. */
  readonly hasSameId: (server: ImportableServer) => boolean;
  /** Returns whether the secrets of the server stay in its definition. */
  readonly keepsPlainSecrets: (server: ImportableServer) => boolean;
  /** The reason why secrets can't be stored. */
  readonly secretStoreProblem: string | undefined;
  readonly unencrypted: boolean;
  readonly onChosen: (server: ImportableServer, chosen: boolean) => void;
  readonly onKeepPlain: (server: ImportableServer, plain: boolean) => void;
}

function FileSection({ file: { label, file, servers, skipped, error }, state }: { file: ImportFile; state: RowState }) {
  return (
    <section className="stack-tight" aria-label={`${label} ${file}`}>
      <h3>
        {label} <code className="muted">{sanitizeLine(file)}</code>
      </h3>
      {error !== undefined && <Notice tone="warn">{sanitizeLine(error)}</Notice>}
      {servers.map((server) => (
        <ServerRow key={server.key} server={server} state={state} />
      ))}
      {skipped.map(({ name, reason }) => (
        <div key={name} className="small muted">
          {sanitizeLine(name)}: {sanitizeLine(reason)}
        </div>
      ))}
    </section>
  );
}

function ServerRow({ server, state }: { server: ImportableServer; state: RowState }) {
  const { key, id, action, runs, target, notes, plainEntry } = server;
  const entry = (state.keepsPlainSecrets(server) ? plainEntry : undefined) ?? server.entry;
  const onChosen = (chosen: boolean) => state.onChosen(server, chosen);
  return (
    <div className="import-row">
      <CheckBox checked={state.choice.has(key)} disabled={!isImportable(server)} onChecked={onChosen}>
        <strong>{sanitizeLine(id)}</strong> {action === "none" && <Badge>already here</Badge>}
        {action === "replace" && <Badge tone="warn">replaces yours</Badge>}
        {runs !== undefined && (
          <div>
            <code>{sanitizeLine(runs)}</code>
          </div>
        )}
      </CheckBox>
      {action !== "none" && (
        <SecretsChoice
          secrets={server.secrets}
          stored={!state.keepsPlainSecrets(server)}
          onStored={(stored) => state.onKeepPlain(server, !stored)}
          storeProblem={state.secretStoreProblem}
          unencrypted={state.unencrypted}
        />
      )}
      {action !== "none" && state.hasSameId(server) && (
        <div className="small muted">Another client has a server with this id, too. You can import one of them.</div>
      )}
      {notes.map((note) => (
        <div key={note} className="small muted">
          <MessageText text={sanitizeLine(note)} />
        </div>
      ))}
      {action !== "none" && (
        <details className="small">
          <summary>Whole definition, as it will be written to {sanitizeLine(target)}</summary>
          <div className="code-block">
            <JsonView value={entry} />
          </div>
        </details>
      )}
    </div>
  );
}
