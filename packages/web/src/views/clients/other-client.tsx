/** How to set up a client that Plugboard does not know. */
import { CodeBlock } from "../../components/button.tsx";
import { Card, Notice } from "../../components/layout.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { urlEntry } from "./url-entry.ts";

export function OtherClient({ endpoint }: { endpoint: string | undefined }) {
  // Most clients have the format of Cursor. The host knows the exact command, which need not be on the PATH.
  const instructions = useLoad(({ operations }) => operations.connectInstructions("cursor"), []);
  const entry = instructions.data?.snippets.find(({ transport }) => transport === "stdio");
  return (
    <Card title="Any other client">
      {endpoint !== undefined && (
        <>
          <p>By URL, with a token from above:</p>
          <CodeBlock label="Entry with a URL" text={urlEntry(endpoint, "<token>")} />
        </>
      )}
      {instructions.error !== undefined && <Notice tone="danger">{instructions.error}</Notice>}
      {entry && (
        <>
          <p>By a command, without a token:</p>
          <CodeBlock label="Entry with a command" text={entry.text} />
        </>
      )}
    </Card>
  );
}
