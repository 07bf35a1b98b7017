/** Searches the MCP registry for a server to add. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryChoice, RegistryHit } from "@plugboard/contracts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextInput } from "../../../components/field.tsx";
import { EmptyState, Notice } from "../../../components/layout.tsx";
import { messageOf } from "../../../format/message-of.ts";
import { useClient } from "../../../hooks/context.tsx";
import { RegistryServerDialog } from "./registry-server-dialog.tsx";

const LIMIT = 30;

export function RegistryDialog({ onClose, ways }: { onClose: () => void; ways: React.ReactNode }) {
  const client = useClient();
  const [words, setWords] = useState("");
  const [hits, setHits] = useState<readonly RegistryHit[]>();
  const [searching, setSearching] = useState(false);
  const [error, setError] = useState<string>();
  const [chosen, setChosen] = useState<{ readonly hit: RegistryHit; readonly choice: RegistryChoice }>();
  const search = async () => {
    setError(undefined);
    setSearching(true);
    try {
      const { operations } = client.connected;
      setHits((await operations.searchRegistry(words.trim().split(/\s+/), { limit: LIMIT })).servers);
    } catch (thrown) {
      setHits(undefined);
      setError(messageOf(thrown));
    } finally {
      setSearching(false);
    }
  };
  if (chosen) return <RegistryServerDialog {...chosen} onClose={onClose} onBack={() => setChosen(undefined)} />;
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
        <Button type="submit" kind="primary" disabled={words.trim() === "" || searching} aria-busy={searching}>
          Search
        </Button>
      </form>
      <p className="small muted">The host sends the words to the MCP registry.</p>
      {searching && <p className="muted">Searching…</p>}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
      {hits?.length === 0 && <EmptyState title="Nothing found" />}
      {hits?.map((hit) => (
        <Hit key={hit.name} hit={hit} onChoose={(choice) => setChosen({ hit, choice })} />
      ))}
    </Dialog>
  );
}

function Hit({ hit, onChoose }: { hit: RegistryHit; onChoose: (choice: RegistryChoice) => void }) {
  const { name, title, version, description, status, statusMessage = "", choices } = hit;
  return (
    <section className="card card-body stack-tight" aria-label={name}>
      <h3>{sanitizeLine(title ?? name)}</h3>
      <div className="small muted">
        {sanitizeLine(name)} {sanitizeLine(version)}
      </div>
      <p>{sanitizeLine(description)}</p>
      {status === "deprecated" && (
        <Notice tone="warn">Its publisher has deprecated it. {sanitizeLine(statusMessage)}</Notice>
      )}
      <div className="row-wrap">
        {choices.map((choice, index) =>
          "unsupported" in choice ? (
            <span key={index} className="small muted">
              {sanitizeLine(choice.label)}: {sanitizeLine(choice.unsupported)}
            </span>
          ) : (
            <Button key={index} small className="button-long" onClick={() => onChoose(choice)}>
              {sanitizeLine(choice.label)}
            </Button>
          ),
        )}
        {choices.length === 0 && <span className="small muted">It has no package and no URL.</span>}
      </div>
    </section>
  );
}
