/** Implements `plugboard stop`. */
import { describeDisconnected } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { oneStopAtATime } from "../../workspace/one-stop-at-a-time.ts";
import { stopRunningHost } from "../../workspace/stop-running-host.ts";
import type { StopOutput } from "../../outputs/host-outputs.ts";

export async function stopHost(
  { force, json }: { readonly force: boolean; readonly json: boolean },
  { env, stdout, liveLine }: CliContext,
): Promise<number> {
  const phases = showPhases(liveLine, "stopping the host");
  const stopped = await oneStopAtATime(env, () => stopRunningHost(env, { force })).finally(() => phases.stop());
  if (json) stdout.json({ stopped: stopped !== undefined, ...(stopped && { pid: stopped.pid }) } satisfies StopOutput);
  else if (!stopped) stdout.write("No host is running.\n");
  else {
    const { pid, info } = stopped;
    stdout.write(`Stopped the host (process ${pid}).${describeDisconnected(info)}\n`);
  }
  return 0;
}
