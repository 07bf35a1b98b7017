/** Implements `plugboard config path`. */
import { exists, inspectConfig } from "@plugboard/config/edit";
import { requireScopeFiles } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { ConfigScope } from "@plugboard/config";

interface PathsInput {
  readonly scope: ConfigScope | undefined;
  readonly config: readonly string[];
  readonly json: boolean;
}

/** Shows where config files are, from lowest to highest priority. With `--scope`, only the file that commands change. */
export async function showConfigPaths({ scope, config, json }: PathsInput, cli: CliContext): Promise<number> {
  const { cwd, env, stdout } = cli;
  const files = await inspectConfig({ cwd, env, configFiles: config });
  if (scope === undefined) {
    if (json) stdout.json(files.map(toJson));
    else stdout.write(renderTable(["LAYER", "STATE", "FILE"], files.map(toRow)));
    return 0;
  }
  const changed = (await requireScopeFiles(scope, cwd, env)).files.at(-1)!;
  if (json) stdout.json(files.filter(({ file }) => file === changed).map(toJson));
  else stdout.write(`${changed}\n`);
  return 0;
}

function toJson(inspected: InspectedFile): object {
  const { source, file, error } = inspected;
  return { layer: source, file, exists: exists(inspected), ...(error && { invalid: error.details.reason }) };
}

function toRow(inspected: InspectedFile): string[] {
  const state = inspected.error ? "invalid" : exists(inspected) ? "read" : "missing";
  return [inspected.source, state, inspected.file];
}
