/** Implements `plugboard import`. */
import type * as Clients from "@plugboard/config/clients";
import type { WorkspaceSecrets } from "@plugboard/contracts";
import type { ConfigScope } from "@plugboard/config";
import type { ClientServers, PlannedFile, PlannedServer, SecretUsers } from "@plugboard/config/clients";
import { usageError } from "../../command-line/usage-error.ts";
import { renderClientFiles, renderImportPlan, renderImportResult } from "../../render/servers/render-import.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
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
  readonly plainSecrets: boolean;
  readonly json: boolean;
}

type Transfer = typeof Clients;

/** Shows the files of other clients, or imports the servers of one. Starts no server. */
export async function importServers(input: ImportInput, cli: CliContext): Promise<number> {
  const transfer = await import("@plugboard/config/clients");
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
  const planned = await planAll(files, input, cli, transfer);
  const hasSecrets = changesOf(planned).some(({ secrets }) => secrets.length > 0);
  const stored = hasSecrets && !input.plainSecrets ? await listStoredSecrets(cli, transfer) : undefined;
  if (stored) return importPlanned(await planAll(files, input, cli, transfer, stored), input, cli, transfer);
  const plain = planned.map((file) => ({ ...file, servers: file.servers.map(transfer.keepPlainSecrets) }));
  return importPlanned(plain, input, cli, transfer);
}

const SECRET_STORE_OPTIONS = { config: [], mcpServer: [], unattended: true, quiet: true } as const;

/** Returns undefined if secrets can't be stored, and writes the reason to stderr. */
async function listStoredSecrets(cli: CliContext, transfer: Transfer): Promise<SecretUsers | undefined> {
  let users: SecretUsers | undefined;
  await withWorkspace(SECRET_STORE_OPTIONS, cli, async ({ workspace, interrupted }) => {
    const stored = await rejectOnInterrupt(transfer.readStoredSecrets(workspace.secrets), interrupted);
    if ("users" in stored) ({ users } = stored);
    else
      cli.stderr.write(`Secrets can't be stored, so they stay in the definitions, in plain text. ${stored.problem}\n`);
    return 0;
  });
  return users;
}

async function importPlanned(
  planned: readonly PlannedFile[],
  input: ImportInput,
  cli: CliContext,
  transfer: Transfer,
): Promise<number> {
  const { stdout } = cli;
  const changes = changesOf(planned);
  if (!input.json) stdout.write(renderImportPlan(planned));
  const imported: PlannedServer[] = [];
  if (!input.dryRun && changes.length > 0) {
    if (!input.yes) {
      const what = changes.length === 1 ? "this server" : `these ${changes.length} servers`;
      const withoutTerminal = "Add --yes to import these servers, or --dry-run to only see them";
      const declined = await confirmChange(`Import ${what}?`, withoutTerminal, cli);
      if (declined !== undefined) return declined;
    }
    const status = await apply(changes, imported, cli, transfer);
    if (status !== 0) return status;
  }
  if (input.json) stdout.json(toImportJson(planned, { unreadable: [], imported }));
  else
    stdout.write(
      renderImportResult(
        planned.flatMap(({ servers }) => servers),
        imported,
        input,
      ),
    );
  return 0;
}

/** Adds each server to `imported` as soon as it is written. Returns the exit status. */
async function apply(
  changes: readonly PlannedServer[],
  imported: PlannedServer[],
  cli: CliContext,
  { applyImport }: Transfer,
): Promise<number> {
  const write = (storeSecret: WorkspaceSecrets["set"]) =>
    applyImport(changes, { storeSecret, onWritten: (server) => imported.push(server) });
  try {
    if (changes.every(({ secrets }) => secrets.length === 0)) {
      await write(async () => {});
      return 0;
    }
    return await withWorkspace(SECRET_STORE_OPTIONS, cli, async ({ workspace, interrupted }) => {
      await write((name, value) => rejectOnInterrupt(workspace.secrets.set(name, value), interrupted));
      return 0;
    });
  } catch (thrown) {
    cli.stderr.write(`Imported before the error: ${imported.map(({ id }) => id).join(", ") || "none"}.\n`);
    throw thrown;
  }
}

function changesOf(planned: readonly PlannedFile[]): PlannedServer[] {
  return planned.flatMap(({ servers }) => servers).filter(({ action }) => action === "add" || action === "replace");
}

function planAll(
  files: readonly ClientServers[],
  { replace }: ImportInput,
  { cwd, env }: CliContext,
  { planImport }: Transfer,
  storedSecrets: SecretUsers = new Map(),
) {
  return planImport(files, { cwd, env, replace, storedSecrets });
}

/** Keeps only the servers that `--only` names. */
function selectServers(files: readonly ClientServers[], only: string | undefined): readonly ClientServers[] {
  if (only === undefined) return files;
  const known = files.flatMap(({ servers }) => servers.map(({ id }) => id));
  const ids = splitIds(only, known, "import");
  return files.map((file) => ({ ...file, servers: file.servers.filter(({ id }) => ids.has(id)), skipped: [] }));
}
