/** Lists the entries of one scope's files, for `plugboard list --scope`. */
import { describeConfigured, requireScopeFiles } from "@plugboard/config";
import { inspectConfig } from "@plugboard/config/edit";
import { throwIfInvalid } from "@plugboard/host/config-commands";
import type { DescribedDefinition, ConfigScope } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

/** Shows what the files say, even if another file overrides it. */
export async function listScope(scope: ConfigScope, json: boolean, cli: CliContext): Promise<number> {
  const { cwd, env, stdout } = cli;
  const { files } = await requireScopeFiles(scope, cwd, env);
  const inspected = (await inspectConfig({ cwd, env })).filter(({ source }) => source === scope);
  throwIfInvalid(inspected);
  const entries = inspected.flatMap(entriesOf);
  if (json) stdout.json(entries.map(({ file: _file, config: _config, ...shown }) => shown));
  else if (entries.length === 0) stdout.write(`No servers in ${files.join(" or ")}.\n`);
  else stdout.write(renderTable(["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "RUNS"], entries.map(toRow)));
  return 0;
}

function entriesOf({ source, file, layer }: InspectedFile): DescribedDefinition[] {
  if (!layer) return [];
  return [...layer.servers.map(describeConfigured), ...layer.switches.map((entry) => ({ ...entry, source, file }))];
}

function toRow({ id, transport, source, enabled, invalid, target }: DescribedDefinition): string[] {
  return [id, transport ?? "–", source, invalid === undefined ? (enabled ? "yes" : "no") : "invalid", target || "–"];
}
