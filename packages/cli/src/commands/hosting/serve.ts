/** Implements `plugboard serve`. */
import { startDaemon } from "@plugboard/daemon";
import type { Daemon } from "@plugboard/daemon";
import { isDuplicateSignal } from "../../terminal/interruption.ts";
import type { EventSubscription } from "../../events/follow-events.ts";
import { reportNeededLogins } from "../../events/report-needed-logins.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderStatus } from "../../render/servers/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";

interface ServeInput extends ConfigOptions {
  readonly port: number | undefined;
  readonly background: boolean;
}

const DEFAULT_PORT = 7431;

/** How long a background host runs without clients. */
const BACKGROUND_IDLE_MS = 60_000;

/** Runs the host until a signal stops it. */
export async function serve(options: ServeInput, cli: CliContext): Promise<number> {
  const { cwd, env } = cli;
  const background = options.background;
  const daemon = await startDaemon({
    env,
    spec: toWorkspaceSpec(options, cwd),
    port: background ? undefined : (options.port ?? DEFAULT_PORT),
    exitWhenIdleMs: background ? BACKGROUND_IDLE_MS : undefined,
  });
  const stopped = new AbortController();
  let firstSignalAt: number | undefined;
  const stop = () => {
    if (firstSignalAt !== undefined && isDuplicateSignal(firstSignalAt)) return;
    firstSignalAt ??= performance.now();
    stopped.abort();
    void daemon.stop();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  const loginReports = background ? undefined : await printBanner(daemon, cli, stopped.signal);
  const resumeLiveLine = cli.liveLine.pause();
  await daemon.ended;
  resumeLiveLine();
  await loginReports?.stop();
  process.off("SIGINT", stop).off("SIGTERM", stop).off("SIGHUP", stop);
  return 0;
}

/** Prints the servers and how to connect. Then reports servers that need a login, unless the host is already stopped. */
async function printBanner(
  daemon: Daemon,
  cli: CliContext,
  stopped: AbortSignal,
): Promise<EventSubscription | undefined> {
  const { workspace, endpoint } = daemon;
  const { stdout, env } = cli;
  const phases = showPhases(cli.liveLine, "starting the servers");
  await workspace.start().finally(() => phases.stop());
  const snapshot = await workspace.snapshot();
  if (stopped.aborted) return undefined;
  const { servers } = snapshot;
  stdout.write(
    servers.length === 0 ? renderNoServers(env) : renderStatus(servers, { now: Date.now(), columns: stdout.columns }),
  );
  stdout.write(`
Plugboard is running at ${endpoint}

Connect a client, for example:
  claude mcp add --transport http plugboard ${endpoint}/mcp --header "Authorization: Bearer $(plugboard token)"
Clients that launch a command use \`plugboard stdio\`. Stop with Ctrl-C.
`);
  return reportNeededLogins(daemon, snapshot, cli);
}
