/** Implements `plugboard stop`. */
import { describeClients } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { oneStopAtATime } from "../../workspace/one-stop-at-a-time.ts";
import { stopRunningHost } from "../../workspace/stop-running-host.ts";

interface StopInput {
  readonly force: boolean;
  readonly json: boolean;
}

export async function stopHost({ force, json }: StopInput, { env, stdout, liveLine }: CliContext): Promise<number> {
  const phases = showPhases(liveLine, "stopping the host");
  const stopped = await oneStopAtATime(env, () => stopRunningHost(env, { force })).finally(() => phases.stop());
  if (json) stdout.json({ stopped: stopped !== undefined, ...(stopped && { pid: stopped.pid }) });
  else if (!stopped) stdout.write("No host is running.\n");
  else {
    const { pid, info } = stopped;
    const clients = info && Object.values(info.clients).some((count) => count > 0) ? info.clients : undefined;
    stdout.write(`Stopped the host (process ${pid}).${clients ? ` Disconnected: ${describeClients(clients)}.` : ""}\n`);
  }
  return 0;
}
