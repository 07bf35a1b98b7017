/** The first visit without servers: examples that are saved with three clicks, and the other ways to add a server. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../../components/button.tsx";
import { useLoad } from "../../../hooks/use-load.ts";
import { plural } from "../../../format/format.ts";
import { toDraft } from "../edit/draft.ts";
import { ServerDialog } from "../edit/server-dialog.tsx";
import type { AddWay } from "./add-server-dialog.tsx";

interface Example {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly entry: CommandEntry;
}

interface CommandEntry {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: string[];
}

/** `folder` is the folder of the workspace. */
function examplesFor(folder: string): readonly Example[] {
  return [
    {
      id: "files",
      title: "Files",
      text: "Reads and changes files in the folder of this workspace.",
      entry: npx("@modelcontextprotocol/server-filesystem", folder),
    },
    {
      id: "memory",
      title: "Memory",
      text: "Stores facts that your agents should remember.",
      entry: npx("@modelcontextprotocol/server-memory"),
    },
    {
      id: "everything",
      title: "Everything",
      text: "A demonstration with one tool of each kind, to try the page.",
      entry: npx("@modelcontextprotocol/server-everything"),
    },
  ];
}

function npx(...words: readonly string[]): CommandEntry {
  return { transport: "stdio", command: "npx", args: ["-y", ...words] };
}

export function StartPage({ onAdd }: { onAdd: (way: AddWay) => void }) {
  const [example, setExample] = useState<Example>();
  const overview = useLoad(({ operations }) => operations.overview(), []);
  const files = useLoad(({ operations }) => operations.importFiles(), []);
  const importable = (files.data ?? []).flatMap(({ servers }) => servers).length;
  return (
    <div className="card start">
      <div className="start-intro">
        <h2>Add your first server</h2>
        <p className="muted">
          Plugboard runs MCP servers for all your agents. Begin with an example: you see the exact command before it
          runs, test it, and save it.
        </p>
      </div>
      <ul className="examples">
        {importable > 0 && (
          <li>
            <button type="button" className="example" onClick={() => onAdd("import")}>
              <strong>Import from another client</strong>
              <span className="muted">
                {plural(importable, "server")} of other clients on this machine {importable === 1 ? "was" : "were"}{" "}
                found.
              </span>
            </button>
          </li>
        )}
        {(overview.data ? examplesFor(overview.data.folder) : []).map((one) => (
          <li key={one.id}>
            <button type="button" className="example" onClick={() => setExample(one)}>
              <strong>{one.title}</strong>
              <span className="muted">{one.text}</span>
              <code className="small muted">{sanitizeLine([one.entry.command, ...one.entry.args].join(" "))}</code>
            </button>
          </li>
        ))}
      </ul>
      <p className="small muted">
        The examples need Node.js with <code>npx</code>, which downloads them from the npm registry.
      </p>
      <div className="row-wrap">
        <Button kind="primary" onClick={() => onAdd("manual")}>
          Add a server
        </Button>
        <span className="muted">by its command or URL, from another client on this machine, or from the registry.</span>
      </div>
      {example && (
        <ServerDialog
          title={`Add ${example.title}`}
          initial={{ id: example.id, draft: toDraft({ ...example.entry }) }}
          replace={false}
          confirmAtOnce
          onClose={() => setExample(undefined)}
        />
      )}
    </div>
  );
}
