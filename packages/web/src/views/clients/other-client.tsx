/** How to connect a client that Plugboard does not know. */
import { CodeBlock } from "../../components/button.tsx";
import { Card } from "../../components/layout.tsx";
import { urlEntry } from "./url-entry.ts";

const COMMAND_ENTRY = { mcpServers: { plugboard: { command: "plugboard", args: ["stdio"] } } };

export function OtherClient({ endpoint }: { endpoint: string | undefined }) {
  return (
    <Card title="Any other client">
      {endpoint !== undefined && (
        <>
          <p>By URL, with a token from above:</p>
          <CodeBlock label="Entry with a URL" text={urlEntry(endpoint, "<token>")} />
        </>
      )}
      <p>By a command, without a token:</p>
      <CodeBlock label="Entry with a command" text={JSON.stringify(COMMAND_ENTRY, null, 2)} />
    </Card>
  );
}
