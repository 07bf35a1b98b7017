/** Implements `plugboard export`. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientName } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { splitIds } from "./split-ids.ts";

interface ExportInput extends ConfigOptions {
  readonly client: ClientName;
  readonly only: string | undefined;
  readonly showSecrets: boolean;
  readonly json: boolean;
}

/** Prints the servers in the format of a client on stdout, and what can't be exported on stderr. Starts no server. */
export async function exportServers(input: ExportInput, cli: CliContext): Promise<number> {
  const { client, only, showSecrets, config } = input;
  const { stdout, stderr, cwd } = cli;
  const { servers: further } = toWorkspaceSpec(input, cwd);
  const options = {
    showSecrets,
    ...(only !== undefined && { only: splitIds(only) }),
    ...(further && { servers: further }),
  };
  const { text, servers, skipped } = await withOperations(
    cli,
    (operations) => operations.exportServers(client, options),
    { config },
  );
  if (input.json) {
    stdout.json({ client, text, servers, skipped });
    return 0;
  }
  stdout.content(text);
  for (const { id, reason } of skipped) stderr.write(`${sanitizeLine(`${id} is left out: ${reason}`)}\n`);
  for (const { id, notes } of servers) for (const note of notes) stderr.write(`${sanitizeLine(`${id}: ${note}`)}\n`);
  return 0;
}
