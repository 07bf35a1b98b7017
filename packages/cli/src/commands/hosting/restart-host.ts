/** Implements `plugboard restart`: stops the running host, and starts one with the same port and folder. */
import type { HostInfo, ListenOptions, PortInfo } from "@plugboard/contracts";
import { describeDisconnected } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { startBackgroundHost } from "../../workspace/start-background-host.ts";
import { oneStopAtATime } from "../../workspace/one-stop-at-a-time.ts";
import { stopRunningHost } from "../../workspace/stop-running-host.ts";
import { toListenAddress } from "./listen-address.ts";
import { keepPortOpen } from "./serve-detached.ts";
import type { RestartOutput } from "../../outputs/host-outputs.ts";

interface RestartInput {
  readonly force: boolean;
  readonly json: boolean;
}

/** Succeeds without a running host, so that an upgrade script can always call it. */
export function restartHost(input: RestartInput, cli: CliContext): Promise<number> {
  return oneStopAtATime(cli.env, () => restart(input, cli));
}

async function restart({ force, json }: RestartInput, cli: CliContext): Promise<number> {
  const { env, stdout, liveLine } = cli;
  const phases = showPhases(liveLine, "stopping the host");
  try {
    const stopped = await stopRunningHost(env, { force });
    if (!stopped) {
      if (json) stdout.json({ restarted: false } satisfies RestartOutput);
      else stdout.write("No host is running, so none was restarted. Start one with `plugboard serve --detach`.\n");
      return 0;
    }
    phases.enter("starting the host");
    const host = await startHost(stopped.info, cli);
    try {
      const info = await host.control.info();
      const { pid, port } = info;
      if (json)
        stdout.json({
          restarted: true,
          pid,
          stopped: stopped.pid,
          ...(port && { endpoint: port.endpoint }),
        } satisfies RestartOutput);
      else stdout.write(renderRestart(info, stopped.info));
      return 0;
    } finally {
      await host.close();
    }
  } finally {
    phases.stop();
  }
}

/** The service manager starts its host again. Any other host continues in the background. */
async function startHost(before: HostInfo | undefined, cli: CliContext) {
  if (before?.startedBy === "service") return (await import("../../service/restart-service.ts")).restartService(cli);
  const host = await startBackgroundHost(cli.env);
  try {
    if (before?.port) await keepPortOpen(host, before.port.spec, toListenOptions(before.port), cli);
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}

function toListenOptions({ port, host, publicUrl }: PortInfo): ListenOptions {
  return { port, ...toListenAddress({ host, publicUrl }) };
}

function renderRestart({ pid, port, startedBy }: HostInfo, before: HostInfo | undefined): string {
  const address = port ? ` at ${port.endpoint}` : "";
  const moved = before?.startedBy === "serve" ? " It ran in a terminal before, and now runs in the background." : "";
  const service = startedBy === "service" ? ", service" : "";
  return `Restarted the host${address} (process ${pid}${service}).${moved}${describeDisconnected(before)}\n`;
}
