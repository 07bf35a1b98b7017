/** Implements `plugboard connect`. */
import type * as Clients from "@plugboard/config/clients";
import { stat } from "node:fs/promises";
import type { ClientName } from "@plugboard/contracts";
import { clientTokenName, findClientToken, replaceNamedToken, revokeClientToken } from "@plugboard/host/tokens";
import { DEFAULT_PORT } from "@plugboard/config";
import { ensureStateFolder } from "@plugboard/store";
import type { GatewayTarget } from "@plugboard/config/clients";
import { usageError } from "../../command-line/usage-error.ts";
import { renderClients, renderConnected, renderFileChange } from "../../render/servers/render-connect.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { commandPath } from "../../workspace/command-path.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { requireProfile } from "../../workspace/known-profiles.ts";
import { NEEDS_PERMISSION_NOTE } from "../../render/permission-note.ts";
import { clientPlaces } from "./client-places.ts";
import { confirmChange } from "./confirm-change.ts";

interface ConnectInput {
  readonly client: ClientName | undefined;
  readonly profile: string | undefined;
  readonly scope: "user" | "project" | undefined;
  readonly http: boolean;
  readonly port: number | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Stands for a token that is created only if the user agrees. The change that is shown masks it. */
const NEW_TOKEN = "new";

type Connect = typeof Clients;

/** Shows which clients are connected, or writes Plugboard's entry to the file of one. */
export async function connectClient(input: ConnectInput, cli: CliContext): Promise<number> {
  const connect = await import("@plugboard/config/clients");
  const { client } = input;
  if (client !== undefined) return connectOne({ ...input, client }, cli, connect);
  if (input.yes || input.profile !== undefined || input.http || input.scope)
    throw usageError("name the client to connect", { command: "connect" });
  const clients = await connect.listClients(clientPlaces(cli));
  if (input.json) cli.stdout.json({ clients });
  else cli.stdout.write(renderClients(clients));
  return 0;
}

async function connectOne(
  input: ConnectInput & { readonly client: ClientName },
  cli: CliContext,
  connect: Connect,
): Promise<number> {
  const { client, profile, dryRun, yes, json, scope = "user" } = input;
  const { stdout, env } = cli;
  if (profile !== undefined) await requireProfile(profile, cli);
  const planWith = async (token: string) => {
    const { target, notes } = await chooseTarget(input, token, cli, connect);
    const chosen = await connect.planConnect(client, scope, target, clientPlaces(cli));
    const readable = input.http ? await readableByOthersNote(chosen.realPath) : [];
    return { ...chosen, notes: [...notes, ...chosen.notes, ...readable] };
  };
  const shown = await planWith(NEW_TOKEN);
  const listed = (await connect.listClients(clientPlaces(cli))).find((each) => each.client === client);
  if (!listed?.installed && shown.action !== "none")
    cli.stderr.write(`note: ${shown.label} was not found on this machine. The file is for when you install it.\n`);
  const keptToken = input.http ? await findClientToken(env, client, profile, shown.oldToken) : undefined;
  let plan = keptToken === undefined ? shown : await planWith(keptToken);
  if (!json) stdout.write(renderFileChange(plan));
  const isChange = plan.action !== "none";
  if (isChange && !dryRun && !yes) {
    const withoutTerminal = "Add --yes to write the change, or --dry-run to only see it";
    const declined = await confirmChange(`Connect ${plan.label} to Plugboard?`, withoutTerminal, cli);
    if (declined !== undefined) return declined;
  }
  const isWritten = isChange && !dryRun;
  let backup: string | undefined;
  if (isWritten) {
    if (input.http && keptToken === undefined) {
      const options = { name: clientTokenName(client), profile, mayApprove: false, now: Date.now() };
      plan = await planWith(await replaceNamedToken(env, options));
    }
    backup = await connect.writeChange(plan, new connect.ConnectionRecords(await ensureStateFolder(env)));
    if (!input.http) await revokeClientToken(env, client, plan.oldToken);
  }
  if (json) {
    const { file, action, entry, diff, servers, imported, notes } = plan;
    stdout.json({ client, scope, file, action, written: isWritten, entry, diff, backup, servers, imported, notes });
  } else stdout.write(renderConnected(plan, { isWritten, dryRun, backup }));
  return 0;
}

async function chooseTarget(
  { client, profile, http, port, scope = "user" }: ConnectInput & { readonly client: ClientName },
  token: string,
  cli: CliContext,
  { chooseCommand }: Connect,
): Promise<{ readonly target: GatewayTarget; readonly notes: readonly string[] }> {
  if (!http) {
    if (port !== undefined) throw usageError("--port is only for --http", { command: "connect" });
    const running = { node: process.execPath, script: commandPath() };
    return chooseCommand(client, scope, profile, running, clientPlaces(cli));
  }
  if (scope === "project")
    throw usageError("--http writes a token, which must not be in a project's file", { command: "connect" });
  const path = profile === undefined ? "/mcp" : `/mcp/p/${profile}`;
  const url = `http://127.0.0.1:${port ?? (await runningPort(cli)) ?? DEFAULT_PORT}${path}`;
  const headers = { Authorization: `Bearer ${token}` };
  const notes = ["The client can use this URL only while `plugboard serve` runs.", NEEDS_PERMISSION_NOTE];
  return { target: { kind: "http", url, headers }, notes };
}

/** Warns before a token is written to a file that other users can read. The mode of the file is the user's choice. */
async function readableByOthersNote(file: string): Promise<string[]> {
  if (process.platform === "win32") return [];
  const stats = await stat(file).catch(() => undefined);
  if (!stats || (stats.mode & 0o077) === 0) return [];
  return [`Other users of this machine may read the token in this file. Run \`chmod 600 '${file}'\` to prevent it.`];
}

/** Returns the open port of the running host. */
async function runningPort({ env }: CliContext): Promise<number | undefined> {
  const host = await connectToRunningHost(env, {});
  try {
    return (await host?.control.info())?.port?.port;
  } finally {
    await host?.close();
  }
}
