/** Implements `plugboard status`. */
import { ERROR_TABLE, toHostError, isInvalid, isUntrusted } from "@plugboard/contracts";
import type { HostError, ServerStatus } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderHostInfo } from "../../render/hosting/render-host-info.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderServerDetail } from "../../render/servers/render-server-detail.ts";
import { layOutStatus, renderNotes, renderStatus } from "../../render/servers/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { connectEach } from "../../workspace/connect-each.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions, CommandContext } from "../../workspace/with-workspace.ts";
import { watchStatus } from "./watch-status.ts";

export interface StatusInput extends CommandOptions {
  readonly server: string | undefined;
  readonly connect: boolean;
  readonly watch: boolean;
  readonly host: boolean;
}

/**
 * Shows the state of all servers, or the details of one. With --connect, fails if a server does not connect. While the
 * config is broken, shows the servers that the running host goes on with.
 */
export function showStatus(options: StatusInput, cli: CliContext): Promise<number> {
  const input = { ...options, lastValid: true };
  const { server, connect, watch, host } = input;
  if (host) return import("./show-host-info.ts").then(({ showHostInfo }) => showHostInfo(input, cli));
  if (server !== undefined && !watch) {
    return withWorkspace(input, cli, (context) => showOne(server, input, cli, context), { server });
  }
  const show = watch ? watchServers : connect ? connectAll : showAll;
  // Questions would be in the way of the rows. Each row says what its server needs.
  return withWorkspace({ ...input, unattended: true }, cli, (context) => show(input, cli, context));
}

async function showAll({ json }: StatusInput, cli: CliContext, context: CommandContext): Promise<number> {
  const { stdout, env } = cli;
  const { workspace, interrupted, isPrivate, control } = context;
  const servers = await rejectOnInterrupt(workspace.status(), interrupted);
  const isLive = !isPrivate;
  if (control && !json) stdout.write(renderHostInfo(await rejectOnInterrupt(control.info(), interrupted), Date.now()));
  if (json) stdout.json(servers.map((server) => ({ ...server, live: isLive })));
  else if (servers.length === 0) stdout.write(renderNoServers(env));
  else {
    stdout.write(renderStatus(servers, { now: Date.now(), columns: stdout.columns, isLive }));
    if (isPrivate) noteNoHost(cli);
  }
  return 0;
}

/** Writes the row of each server as soon as it is ready or has failed, so that the rows don't wait for slow servers. */
async function connectAll({ json }: StatusInput, cli: CliContext, context: CommandContext): Promise<number> {
  const { stdout, env } = cli;
  const { workspace, interrupted } = context;
  const servers = await rejectOnInterrupt(workspace.status(), interrupted);
  if (servers.length === 0) {
    if (json) stdout.json([]);
    else stdout.write(renderNoServers(env));
    return 0;
  }
  const layout = layOutStatus(servers, { now: Date.now(), columns: stdout.columns, isPartial: true });
  let head = layout.table.head;
  const writeRow = (server: ServerStatus) => {
    if (!json) stdout.write([head, layout.table.row(layout.cells(server)), renderNotes(server)]);
    head = "";
  };
  const done = new Map<string, ServerStatus>();
  const errors = new Map<string, HostError>();
  for (const server of servers) if (!canConnect(server)) writeRow(server);
  await connectEach(servers.filter(canConnect), context, ({ status, error }) => {
    done.set(status.id, status);
    if (error) errors.set(status.id, error);
    writeRow(status);
  });
  if (json) stdout.json(servers.map((server) => ({ ...(done.get(server.id) ?? server), live: true })));
  const invalid = servers.find(isInvalid)?.lastError?.code;
  const [firstError] = servers.flatMap(({ id }) => errors.get(id)?.code ?? []);
  const code = firstError ?? invalid;
  return code === undefined ? 0 : ERROR_TABLE[code].exit;
}

function canConnect(server: ServerStatus): boolean {
  return server.enabled && !isUntrusted(server);
}

async function showOne(
  server: string,
  options: StatusInput,
  cli: CliContext,
  { workspace, interrupted, isPrivate }: CommandContext,
): Promise<number> {
  const { stdout } = cli;
  const { servers } = workspace;
  // A failed connect does not throw here, because the details show its error. `detail` throws for an unknown server.
  const failure = options.connect
    ? await rejectOnInterrupt(
        servers.connect(server, { signal: interrupted }).then(() => undefined, toHostError),
        interrupted,
      )
    : undefined;
  const detail = await rejectOnInterrupt(servers.detail(server), interrupted);
  const isStatic = isPrivate && !options.connect;
  if (options.json) stdout.json({ ...detail, live: !isStatic });
  else {
    stdout.write(renderServerDetail(detail, { now: Date.now(), columns: stdout.columns, isLive: !isPrivate }));
    if (isStatic) noteNoHost(cli);
  }
  return failure ? ERROR_TABLE[failure.code].exit : 0;
}

async function watchServers(input: StatusInput, cli: CliContext, context: CommandContext): Promise<number> {
  if (context.isPrivate && !input.connect) {
    const message =
      "No host is running, so there is nothing to watch. Start one with `plugboard serve`, or add --connect";
    throw usageError(message, { command: "status" });
  }
  return watchStatus(input, cli, context);
}

function noteNoHost({ stderr }: CliContext): void {
  stderr.write(
    "No host is running, so this is what is configured. Start a host with `plugboard serve`, or connect once with --connect.\n",
  );
}
