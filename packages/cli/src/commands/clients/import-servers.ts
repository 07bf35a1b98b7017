/** Implements `plugboard import`. */
import { loadClientTransfer } from "@plugboard/host/internal";
import type { ConfigScope } from "@plugboard/host/config-commands";
import type { ClientServers, PlannedServer } from "@plugboard/host/internal";
import { usageError } from "../../command-line/usage-error.ts";
import { renderClientFiles, renderImportPlan, renderImportResult } from "../../render/servers/render-import.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { clientPlaces } from "./client-places.ts";
import { confirmChange } from "./confirm-change.ts";
import { toImportJson } from "./import-json.ts";
import { splitIds } from "./split-ids.ts";

interface ImportInput {
  readonly source: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly scope: ConfigScope | undefined;
  readonly only: string | undefined;
  readonly replace: boolean;
  readonly json: boolean;
}

type Transfer = Awaited<ReturnType<typeof loadClientTransfer>>;

/** Shows the files of other clients, or imports the servers of one. Starts no server. */
export async function importServers(input: ImportInput, cli: CliContext): Promise<number> {
  const transfer = await loadClientTransfer();
  const { source, only } = input;
  const places = clientPlaces(cli);
  if (source === undefined) {
    if (only !== undefined || input.yes)
      throw usageError("name the client or file to import from", { command: "import" });
    const { files, unreadable } = await transfer.readAllClients(places);
    const planned = await planAll(files, input, cli, transfer);
    if (input.json) cli.stdout.json(toImportJson(planned, { unreadable, imported: [] }));
    else cli.stdout.write(renderClientFiles(planned, unreadable));
    return 0;
  }
  const files = selectServers(await transfer.readImportSource(source, places, input.scope), only);
  return importFiles(files, input, cli, transfer);
}

async function importFiles(
  files: readonly ClientServers[],
  input: ImportInput,
  cli: CliContext,
  transfer: Transfer,
): Promise<number> {
  const { stdout, stderr } = cli;
  const planned = await planAll(files, input, cli, transfer);
  const servers = planned.flatMap((file) => file.servers);
  const changes = servers.filter(({ action }) => action === "add" || action === "replace");
  if (!input.json) stdout.write(renderImportPlan(planned));
  const imported: PlannedServer[] = [];
  if (!input.dryRun && changes.length > 0) {
    if (!input.yes) {
      const what = changes.length === 1 ? "this server" : `these ${changes.length} servers`;
      const withoutTerminal = "Add --yes to import these servers, or --dry-run to only see them";
      const declined = await confirmChange(`Import ${what}?`, withoutTerminal, cli);
      if (declined !== undefined) return declined;
    }
    try {
      await transfer.applyImport(changes, (server) => imported.push(server));
    } catch (thrown) {
      stderr.write(`Imported before the error: ${imported.map(({ id }) => id).join(", ") || "none"}.\n`);
      throw thrown;
    }
  }
  if (input.json) stdout.json(toImportJson(planned, { unreadable: [], imported }));
  else stdout.write(renderImportResult(servers, imported, input));
  return 0;
}

function planAll(
  files: readonly ClientServers[],
  { replace }: ImportInput,
  { cwd, env }: CliContext,
  { planImport }: Transfer,
) {
  return planImport(files, { cwd, env, replace });
}

/** Keeps only the servers that `--only` names. */
function selectServers(files: readonly ClientServers[], only: string | undefined): readonly ClientServers[] {
  if (only === undefined) return files;
  const known = files.flatMap(({ servers }) => servers.map(({ id }) => id));
  const ids = splitIds(only, known, "import");
  return files.map((file) => ({ ...file, servers: file.servers.filter(({ id }) => ids.has(id)), skipped: [] }));
}
