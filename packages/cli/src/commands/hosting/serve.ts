/** Implements `plugboard serve`. */
import { isHostError } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import type { CliContext } from "../../terminal/cli-context.ts";
import { onStopSignal } from "../../terminal/stop-signals.ts";
import { readBuildId } from "../../workspace/build-id.ts";
import { noteOutdatedHost } from "../../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { attachToHost, startHostHere } from "./served-host.ts";
import type { ServedHost, ServeOptions } from "./served-host.ts";
import { showHost } from "./show-host.ts";

export interface ServeInput extends ConfigOptions {
  readonly port: number | undefined;
  readonly detach: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly background: boolean;
  readonly service: boolean;
}

/** How long a background host runs without clients and without an open port. */
const BACKGROUND_IDLE_MS = 60_000;

export async function serve(input: ServeInput, cli: CliContext): Promise<number> {
  if (input.background) return runInBackground(cli);
  if (input.detach) return (await import("./serve-detached.ts")).serveDetached(input, cli);
  const host = await openServedHost(input, cli);
  let hasLeft = false;
  let farewell = Promise.resolve("");
  const stopped = new Promise<void>((resolve) => {
    const ignoreSignals = onStopSignal(() => {
      hasLeft = true;
      farewell = host.leave();
      resolve();
    });
    void host.ended.catch(() => {}).finally(ignoreSignals);
  });
  const shown = await showHost(host, input, cli);
  try {
    await Promise.race([host.ended, stopped]);
    const text = await farewell;
    await shown.stop();
    if (!input.json && !input.quiet) cli.stdout.write(hasLeft ? text : "The host was stopped by another command.\n");
    return 0;
  } finally {
    await shown.stop();
  }
}

/** Attaches to the running host, or runs one in this process. */
async function openServedHost(input: ServeInput, cli: CliContext): Promise<ServedHost> {
  const spec = toWorkspaceSpec(input, cli.cwd);
  const options: ServeOptions = { port: input.port, isService: input.service };
  const attach = async () => {
    const running = await connectToRunningHost(cli.env, { attended: false });
    if (!running) return undefined;
    await noteOutdatedHost(running, cli);
    return attachToHost(running, spec, options, cli);
  };
  const attached = await attach();
  if (attached) return attached;
  try {
    return await startHostHere(spec, options, cli);
  } catch (error) {
    // Another command has started a host meanwhile.
    const late = isHostError(error) && error.code === "HOST_RUNNING" ? await attach() : undefined;
    if (!late) throw error;
    return late;
  }
}

/** Runs the host that `stdio`, `serve --detach` and `restart` start. It has no terminal. */
async function runInBackground({ env }: CliContext): Promise<number> {
  const build = await readBuildId();
  const daemon = await startDaemon({ env, startedBy: "background", exitWhenIdleMs: BACKGROUND_IDLE_MS, build });
  const ignoreSignals = onStopSignal(() => void daemon.stop());
  await daemon.ended;
  ignoreSignals();
  return 0;
}
