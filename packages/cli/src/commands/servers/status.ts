/** Implements `plugboard status`. */
import { ERROR_TABLE, toHostError } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderServerDetail } from "../../render/render-server-detail.ts";
import { renderStatus } from "../../render/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions, CommandContext } from "../../workspace/with-workspace.ts";

interface StatusInput extends CommandOptions {
  readonly server: string | undefined;
  readonly connect: boolean;
}

/** Shows the state of all servers, or the details of one. With --connect, fails if a server does not connect. */
export function showStatus(input: StatusInput, cli: CliContext): Promise<number> {
  const { server } = input;
  return withWorkspace(input, cli, (context) =>
    server === undefined ? showAll(input, cli, context) : showOne(server, input, cli, context),
  );
}

async function showAll(
  options: StatusInput,
  { stdout, env }: CliContext,
  { workspace, interrupted }: CommandContext,
): Promise<number> {
  const report = options.connect
    ? await rejectOnInterrupt(workspace.start({ signal: interrupted }), interrupted)
    : undefined;
  const servers = await rejectOnInterrupt(workspace.status(), interrupted);
  if (options.json) stdout.json(servers);
  else stdout.write(servers.length === 0 ? renderNoServers(env) : renderStatus(servers, Date.now()));
  const [firstError] = Object.values(report?.errors ?? {});
  return firstError ? ERROR_TABLE[firstError.code].exit : 0;
}

async function showOne(
  server: string,
  options: StatusInput,
  { stdout }: CliContext,
  { workspace, interrupted }: CommandContext,
): Promise<number> {
  const { servers } = workspace;
  // A failed connect does not throw here, because the details show its error. `detail` throws for an unknown server.
  const failure = options.connect
    ? await rejectOnInterrupt(
        servers.connect(server, { signal: interrupted }).then(() => undefined, toHostError),
        interrupted,
      )
    : undefined;
  const detail = await rejectOnInterrupt(servers.detail(server), interrupted);
  if (options.json) stdout.json(detail);
  else stdout.write(renderServerDetail(detail, Date.now(), stdout.columns));
  return failure ? ERROR_TABLE[failure.code].exit : 0;
}
