/** Implements `plugboard export`. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientName } from "@plugboard/contracts";
import { readStaticConfig } from "@plugboard/host/config-commands";
import type { CliContext } from "../../terminal/cli-context.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { splitIds } from "./split-ids.ts";

interface ExportInput extends ConfigOptions {
  readonly client: ClientName;
  readonly only: string | undefined;
  readonly showSecrets: boolean;
  readonly json: boolean;
}

/** Prints the text on stdout, and what is lost on stderr. Starts nothing. */
export async function exportServers(input: ExportInput, cli: CliContext): Promise<number> {
  const { client, only, showSecrets } = input;
  const { stdout, stderr, cwd, env } = cli;
  const { config } = await readStaticConfig({ env }, toWorkspaceSpec(input, cwd));
  const { servers, pending } = config;
  const ids = only === undefined ? undefined : splitIds(only, [...servers.keys()], "export");
  const selected = [...servers.values()].filter(({ id }) => ids?.has(id) ?? true);
  const transfer = await import("@plugboard/config/clients");
  const exported = await transfer.writeExport(client, selected, { showSecrets });
  const waiting = new Set(pending.map(({ id }) => id).filter((id) => !ids && !servers.has(id)));
  const skipped = [...exported.skipped, ...[...waiting].map((id) => ({ id, reason: "it waits for your approval" }))];
  if (input.json) {
    stdout.json({ client, text: exported.text, servers: exported.servers, skipped });
    return 0;
  }
  stdout.content(exported.text);
  for (const { id, reason } of skipped) stderr.write(`${sanitizeLine(`${id} is left out: ${reason}`)}\n`);
  for (const { id, notes } of exported.servers)
    for (const note of notes) stderr.write(`${sanitizeLine(`${id}: ${note}`)}\n`);
  return 0;
}
