/** Implements `plugboard import`. */
import { ERROR_TABLE } from "@plugboard/contracts";
import type { EditableScope, ImportPlan, Operations, PlanImportOptions } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderError } from "../../render/render-error.ts";
import { renderClientFiles, renderImportPlan, renderImportResult } from "../../render/servers/render-import.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { confirmChange } from "../../prompt/confirm-change.ts";
import { toImportJson } from "./import-json.ts";
import { splitIds } from "./split-ids.ts";

interface ImportInput {
  readonly source: string | undefined;
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly scope: EditableScope | undefined;
  readonly only: string | undefined;
  readonly replace: boolean;
  readonly plainSecrets: boolean;
  readonly json: boolean;
}

/** Shows the files of other clients, or imports the servers of one file or of all. Starts no server. */
export async function importServers(input: ImportInput, cli: CliContext): Promise<number> {
  const { source, all, only } = input;
  if (source !== undefined && all)
    throw usageError("name a client or file, or use --all, but not both", { command: "import" });
  const imports = source !== undefined || all;
  if (!imports && (only !== undefined || input.yes))
    throw usageError("name the client or file to import from, or use --all", { command: "import" });
  return withOperations(cli, (operations) => (imports ? importPlanned : showFiles)(input, cli, operations));
}

async function showFiles({ replace, json }: ImportInput, { stdout }: CliContext, operations: Operations) {
  const files = await operations.importFiles({ replace });
  if (json) stdout.json(toImportJson(files, []));
  else stdout.write(renderClientFiles(files));
  return 0;
}

async function importPlanned(input: ImportInput, cli: CliContext, operations: Operations): Promise<number> {
  const { stdout, stderr } = cli;
  const { plan, files } = await planImport(input, cli, operations);
  const servers = files.flatMap((file) => file.servers);
  const changes = servers.filter(({ action }) => action === "add" || action === "replace");
  if (!input.json) stdout.write(files.length === 0 ? renderClientFiles(files) : renderImportPlan(files));
  let imported: readonly string[] = [];
  if (!input.dryRun && changes.length > 0) {
    if (!input.yes) {
      const what = changes.length === 1 ? "this server" : `these ${changes.length} servers`;
      const withoutTerminal = "Add --yes to import these servers, or --dry-run to only see them";
      const declined = await confirmChange(`Import ${what}?`, withoutTerminal, cli);
      if (declined !== undefined) return declined;
    }
    const keys = changes.map(({ key }) => key);
    const result = await operations.importServers(plan, keys);
    imported = result.imported;
    if (result.failed) {
      const ids = changes.filter(({ key }) => imported.includes(key)).map(({ id }) => id);
      stderr.write(`Imported before the error: ${ids.join(", ") || "none"}.\n`);
      stderr.write(renderError(result.failed.error, input));
      return ERROR_TABLE[result.failed.error.code].exit;
    }
  }
  if (input.json) stdout.json(toImportJson(files, imported));
  else stdout.write(renderImportResult(servers, imported, input));
  return 0;
}

/** Leaves secrets in the definitions if they can't be stored, and writes the reason to stderr. */
async function planImport(input: ImportInput, { stderr }: CliContext, operations: Operations): Promise<ImportPlan> {
  const { source, all, scope, only, replace, plainSecrets } = input;
  const options: PlanImportOptions = {
    replace,
    plainSecrets,
    distinct: all,
    ...(source !== undefined && { source }),
    ...(scope !== undefined && { scope }),
    ...(only !== undefined && { only: splitIds(only) }),
  };
  const plan = await operations.planImport(options);
  if (plan.secretStoreProblem === undefined) return plan;
  const reason = "Secrets can't be stored, so they stay in the definitions, in plain text.";
  stderr.write(`${reason} ${plan.secretStoreProblem}\n`);
  return operations.planImport({ ...options, plainSecrets: true });
}
