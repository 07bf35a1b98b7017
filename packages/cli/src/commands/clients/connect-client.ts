/** Implements `plugboard connect`. */
import type { ClientName, ConnectClientOptions, Operations } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderClients, renderConnected, renderFileChange } from "../../render/servers/render-connect.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { confirmChange } from "../../prompt/confirm-change.ts";

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

/** Without a client, shows which clients are connected. Otherwise writes Plugboard's entry to the client's file. */
export async function connectClient(input: ConnectInput, cli: CliContext): Promise<number> {
  const { client } = input;
  if (client !== undefined)
    return withOperations(cli, (operations) => connectOne({ ...input, client }, cli, operations));
  if (input.yes || input.profile !== undefined || input.http || input.scope)
    throw usageError("name the client to connect", { command: "connect" });
  const clients = await withOperations(cli, (operations) => operations.clients());
  if (input.json) cli.stdout.json({ clients });
  else cli.stdout.write(renderClients(clients));
  return 0;
}

async function connectOne(
  input: ConnectInput & { readonly client: ClientName },
  cli: CliContext,
  operations: Operations,
): Promise<number> {
  const { client, dryRun, yes, json } = input;
  const { stdout, stderr } = cli;
  const plan = await operations.planConnect(client, connectOptions(input));
  const isChange = plan.action !== "none";
  if (!plan.installed && isChange)
    stderr.write(`note: ${plan.label} was not found on this machine. The file is for when you install it.\n`);
  if (!json) stdout.write(renderFileChange(plan));
  if (isChange && !dryRun && !yes) {
    const withoutTerminal = "Add --yes to write the change, or --dry-run to only see it";
    const declined = await confirmChange(`Connect ${plan.label} to Plugboard?`, withoutTerminal, cli);
    if (declined !== undefined) return declined;
  }
  const isWritten = isChange && !dryRun;
  const { backup } = isWritten ? await operations.changeClient(plan.plan) : {};
  if (json) {
    const { scope, file, action, entry, diff, servers, imported, notes } = plan;
    stdout.json({ client, scope, file, action, written: isWritten, entry, diff, backup, servers, imported, notes });
  } else stdout.write(renderConnected(plan, { isWritten, dryRun, backup }));
  return 0;
}

function connectOptions({ profile, scope, http, port }: ConnectInput): ConnectClientOptions {
  return {
    http,
    ...(profile !== undefined && { profile }),
    ...(scope !== undefined && { scope }),
    ...(port !== undefined && { port }),
  };
}
