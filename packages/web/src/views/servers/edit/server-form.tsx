/** The fields of a server's definition. */
import { SANDBOX_WORDS, TRANSPORTS, URL_TRANSPORTS } from "@plugboard/contracts";
import { Field, Select, TextArea, TextInput } from "../../../components/field.tsx";
import { Tabs } from "../../../components/tabs.tsx";
import { settingsFor } from "./draft.ts";
import type { Draft } from "./draft.ts";

const KINDS = [
  { id: "command", title: "Command" },
  { id: "url", title: "URL" },
  { id: "json", title: "JSON" },
] as const;

/** The words that can be chosen, by the type of the key. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["boolean", ["true", "false"]],
  ["sandbox", SANDBOX_WORDS],
]);

interface ServerFormProps {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** The folder in which the server runs by default. Undefined until it is known. */
  readonly folder: string | undefined;
}

/** Completes the hint of a field whose text has masked values. */
function withMaskHint(hint: string, text: string): string {
  return text.includes("***") ? `${hint} *** keeps the value that is stored.` : hint;
}

export function ServerForm({ draft, onDraft, folder }: ServerFormProps) {
  const set = (change: Partial<Draft>) => onDraft({ ...draft, ...change });
  return (
    <Tabs
      label="Kind of server"
      tabs={KINDS}
      selected={draft.kind}
      onSelect={(kind) => set({ kind: kind as Draft["kind"] })}
    >
      {draft.kind === "command" && (
        <>
          <Field label="Command" required hint="With its arguments, as in a shell. Nothing is expanded except ${NAME}.">
            {(attributes) => (
              <TextInput
                {...attributes}
                code
                placeholder="npx -y @modelcontextprotocol/server-memory"
                value={draft.command}
                onValue={(command) => set({ command })}
              />
            )}
          </Field>
          <Field
            label="Environment variables"
            hint={withMaskHint("One NAME=value in each line. ${NAME} takes a value from your environment.", draft.env)}
          >
            {(attributes) => (
              <TextArea {...attributes} code rows={2} value={draft.env} onValue={(env) => set({ env })} />
            )}
          </Field>
          <Field label="Folder" hint="Where it runs, also when you test it. By default the folder shown here.">
            {(attributes) => (
              <TextInput {...attributes} code placeholder={folder} value={draft.cwd} onValue={(cwd) => set({ cwd })} />
            )}
          </Field>
        </>
      )}
      {draft.kind === "url" && (
        <>
          <Field label="URL" required>
            {(attributes) => (
              <TextInput
                {...attributes}
                code
                type="url"
                placeholder="https://mcp.example.com/mcp"
                value={draft.url}
                onValue={(url) => set({ url })}
              />
            )}
          </Field>
          <Field label="Transport">
            {(attributes) => (
              <Select
                {...attributes}
                value={draft.transport}
                onValue={(transport) => set({ transport: transport as Draft["transport"] })}
                choices={URL_TRANSPORTS.map((value) => ({ value, label: TRANSPORTS[value].label }))}
              />
            )}
          </Field>
          <Field
            label="Headers"
            hint={withMaskHint("One Name: value in each line. A server with a login needs none.", draft.headers)}
          >
            {(attributes) => (
              <TextArea {...attributes} code rows={2} value={draft.headers} onValue={(headers) => set({ headers })} />
            )}
          </Field>
        </>
      )}
      {draft.kind !== "json" && (
        <details>
          <summary>More</summary>
          {settingsFor(draft.kind).map(({ key, label, hint, row }) => (
            <Field key={key} label={label} hint={hint}>
              {(attributes) => {
                const value = draft.settings[key] ?? "";
                const onValue = (text: string) => set({ settings: { ...draft.settings, [key]: text } });
                const words = row.words ?? WORDS.get(row.type);
                if (words) {
                  const choices = [
                    { value: "", label: "Default" },
                    ...words.map((word) => ({ value: word, label: word })),
                  ];
                  return <Select {...attributes} value={value} onValue={onValue} choices={choices} />;
                }
                const placeholder = typeof row.default === "number" ? String(row.default) : "";
                return <TextInput {...attributes} placeholder={placeholder} value={value} onValue={onValue} />;
              }}
            </Field>
          ))}
          <p className="muted">All other settings are in the JSON.</p>
        </details>
      )}
      {draft.kind === "json" && (
        <Field
          label="Definition"
          hint={withMaskHint(
            "Paste the JSON of a README or of a client's file, or type one entry of mcp.servers.",
            draft.json,
          )}
        >
          {(attributes) => (
            <TextArea {...attributes} code rows={10} value={draft.json} onValue={(json) => set({ json })} />
          )}
        </Field>
      )}
    </Tabs>
  );
}
