/** Implements `plugboard config path`. */
import type { ConfigFileInfo, EditableScope } from "@plugboard/contracts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

interface PathsInput {
  readonly scope: EditableScope | undefined;
  readonly config: readonly string[];
  readonly json: boolean;
}

/** Shows the config files, from lowest to highest priority. With `--scope`, only the file that commands change. */
export async function showConfigPaths({ scope, config, json }: PathsInput, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  const options = scope === undefined ? {} : { scope };
  const files = await withOperations(cli, (operations) => operations.configFiles(options), { config });
  if (json) stdout.json(files.map(toJson));
  else if (scope === undefined) stdout.write(renderTable(["LAYER", "STATE", "FILE"], files.map(toRow)));
  else stdout.write(files.map(({ file }) => `${file}\n`).join(""));
  return 0;
}

function toJson({ source, file, exists, invalid }: ConfigFileInfo): object {
  return { layer: source, file, exists, ...(invalid !== undefined && { invalid }) };
}

function toRow({ source, file, exists, invalid }: ConfigFileInfo): string[] {
  return [source, invalid === undefined ? (exists ? "read" : "missing") : "invalid", file];
}
