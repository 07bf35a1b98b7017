/** The ways to add a server: by hand, from another client on this machine, or from the registry. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryHit, ServerEntry } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Check, TextInput } from "../../components/field.tsx";
import { Badge, EmptyState, Notice } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { plural } from "../../format/format.ts";
import { messageOf, useClient, useLoad } from "../../store/context.tsx";
import { EMPTY_DRAFT } from "./draft.ts";
import { draftOf, ServerDialog } from "./edit-server-dialog.tsx";

interface Chosen {
  readonly id: string;
  readonly entry?: ServerEntry;
  readonly note?: React.ReactNode;
}

type Way = "manual" | "import" | "registry";

export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<Way>("manual");
  const [chosen, setChosen] = useState<Chosen>();
  const ways = <Ways selected={way} onSelect={setWay} />;
  if (chosen) {
    return (
      <ServerDialog
        title={`Add ${sanitizeLine(chosen.id)}`}
        initial={{ id: chosen.id, draft: draftOf(chosen.entry) }}
        replace={false}
        onClose={onClose}
        intro={chosen.note}
      />
    );
  }
  if (way === "import") return <ImportDialog onClose={onClose} ways={ways} />;
  if (way === "registry") return <RegistryDialog onClose={onClose} onChoose={setChosen} ways={ways} />;
  return (
    <ServerDialog
      title="Add a server"
      initial={{ id: "", draft: EMPTY_DRAFT }}
      replace={false}
      onClose={onClose}
      intro={ways}
    />
  );
}

function Ways({ selected, onSelect }: { selected: Way; onSelect: (way: Way) => void }) {
  return (
    <Tabs
      label="How to add a server"
      selected={selected}
      onSelect={(id) => onSelect(id as Way)}
      tabs={[
        { id: "manual", title: "By hand" },
        { id: "import", title: "From another client" },
        { id: "registry", title: "From the registry" },
      ]}
    >
      {null}
    </Tabs>
  );
}

function ImportDialog({ onClose, ways }: { onClose: () => void; ways: React.ReactNode }) {
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
  const importAll = async () => {
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
          <ActionButton kind="primary" disabled={keys.size === 0} onAction={importAll}>
            Import {plural(keys.size, "server")}
          </ActionButton>
        </>
      }
    >
      {ways}
      {plan.error !== undefined && <Notice tone="danger">{plan.error}</Notice>}
      {plan.loading && <p className="muted">Reading the files of other clients…</p>}
      {plan.data && files.length === 0 && <EmptyState title="No other client on this machine has servers" />}
      {files.map(({ label, file, servers, skipped, error }) => (
        <section key={file} className="stack-tight">
          <h3>
            {label} <code className="muted">{sanitizeLine(file)}</code>
          </h3>
          {error !== undefined && <Notice tone="warn">{sanitizeLine(error)}</Notice>}
          {servers.map(({ key, id, action, runs, notes }) => (
            <Check
              key={key}
              checked={keys.has(key)}
              disabled={action === "none"}
              onChecked={(checked) => toggle(key, checked)}
            >
              <strong>{sanitizeLine(id)}</strong> {action === "none" && <Badge>already here</Badge>}
              {action === "replace" && <Badge tone="warn">replaces yours</Badge>}
              <div>
                <code>{sanitizeLine(runs ?? "")}</code>
              </div>
              {notes.map((note) => (
                <div key={note} className="small muted">
                  {sanitizeLine(note)}
                </div>
              ))}
            </Check>
          ))}
          {skipped.map(({ name, reason }) => (
            <div key={name} className="small muted">
              {sanitizeLine(name)}: {sanitizeLine(reason)}
            </div>
          ))}
        </section>
      ))}
    </Dialog>
  );
}

interface RegistryDialogProps {
  readonly onClose: () => void;
  readonly onChoose: (chosen: Chosen) => void;
  readonly ways: React.ReactNode;
}

function RegistryDialog({ onClose, onChoose, ways }: RegistryDialogProps) {
  const client = useClient();
  const [words, setWords] = useState("");
  const [hits, setHits] = useState<readonly RegistryHit[]>();
  const [error, setError] = useState<string>();
  const search = async () => {
    setError(undefined);
    try {
      setHits(await client.connected.management.searchRegistry(words));
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <Dialog title="Add a server" onClose={onClose}>
      {ways}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <TextInput
          type="search"
          aria-label="Words to search for"
          placeholder="weather"
          value={words}
          onValue={setWords}
        />
        <Button type="submit" kind="primary" disabled={words.trim() === ""}>
          Search
        </Button>
      </form>
      <p className="small muted">The host sends the words to the MCP registry.</p>
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
      {hits?.length === 0 && <EmptyState title="Nothing found" />}
      {hits?.map((hit) => (
        <section key={hit.name} className="card card-body stack-tight">
          <h3>{sanitizeLine(hit.title ?? hit.name)}</h3>
          <div className="small muted">
            {sanitizeLine(hit.name)} {sanitizeLine(hit.version ?? "")}
          </div>
          <p>{sanitizeLine(hit.description)}</p>
          <div className="row-wrap">
            {hit.choices.map(({ label, entry, unsupported, inputs }) =>
              entry ? (
                <Button
                  key={label}
                  small
                  onClick={() => onChoose({ id: hit.id, entry, note: <InputNotes inputs={inputs} /> })}
                >
                  {sanitizeLine(label)}
                </Button>
              ) : (
                <span key={label} className="small muted">
                  {sanitizeLine(label)}: {sanitizeLine(unsupported ?? "")}
                </span>
              ),
            )}
          </div>
        </section>
      ))}
    </Dialog>
  );
}

function InputNotes({ inputs }: { inputs: RegistryHit["choices"][number]["inputs"] }) {
  if (inputs.length === 0) return null;
  return (
    <Notice>
      The server needs:
      <ul>
        {inputs.map(({ name, description, required, secret }) => (
          <li key={name}>
            <code>{sanitizeLine(name)}</code> {required ? "" : "(optional) "}
            {secret ? "(a secret: store it with plugboard secret set) " : ""}
            {sanitizeLine(description ?? "")}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
