/** Lists the entries of one scope's files, for `plugboard list --scope`. */
import type { DescribedDefinition, EditableScope } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/** Shows what the files say, even if another file overrides it. */
export async function listScope(scope: EditableScope, json: boolean, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  const { files, entries } = await withOperations(cli, (operations) => operations.listScope(scope));
  if (json) stdout.json(entries.map(({ file: _file, config: _config, ...shown }) => shown));
  else if (entries.length === 0) stdout.write(`No servers in ${files.join(" or ")}.\n`);
  else stdout.write(renderTable(["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "RUNS"], entries.map(toRow)));
  return 0;
}

function toRow({ id, transport, source, enabled, invalid, target }: DescribedDefinition): string[] {
  return [id, transport ?? "–", source, invalid === undefined ? (enabled ? "yes" : "no") : "invalid", target || "–"];
}
