/** Implements `plugboard serve`. */
import { isHostError } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import type { CliContext } from "../../terminal/cli-context.ts";
import { Interruption } from "../../terminal/interruption.ts";
import { isDuplicateSignal } from "../../terminal/interruption.ts";
import { readBuildId } from "../../workspace/build-id.ts";
import { commandPath } from "../../workspace/command-path.ts";
import { noteOutdatedHost } from "../../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { toListenAddress } from "./listen-address.ts";
import type { AddressInput } from "./listen-address.ts";
import { attachToHost, startHostHere } from "./served-host.ts";
import type { ServedHost, ServeOptions } from "./served-host.ts";
import { showHost } from "./show-host.ts";

export interface ServeInput extends ConfigOptions, AddressInput {
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
  const asksQuestions = cli.canPrompt && !input.json && !input.quiet;
  const host = await openServedHost(input, asksQuestions, cli);
  const interruption = new Interruption(cli, { notice: "Stopping…" });
  interruption.force = () => void host.leave();
  const { signal } = interruption;
  const showing = showHost(host, { ...input, asking: asksQuestions ? interruption : undefined }, cli);
  try {
    await Promise.race([abortOf(signal), host.ended, rejectionOf(showing)]);
    const farewell = signal.aborted ? await host.leave() : "The host was stopped by another command.\n";
    await (await showing).stop();
    if (!input.json && !input.quiet) cli.stdout.write(farewell);
    return 0;
  } catch (error) {
    await host.leave().catch(() => {});
    throw error;
  } finally {
    interruption.stopListening();
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Rejects if the work fails. Never resolves. */
function rejectionOf(work: Promise<unknown>): Promise<never> {
  return work.then(() => new Promise<never>(() => {}));
}

/** Attaches to the running host, or runs one in this process. */
async function openServedHost(input: ServeInput, watchesInbox: boolean, cli: CliContext): Promise<ServedHost> {
  const spec = toWorkspaceSpec(input, cli.cwd);
  const options: ServeOptions = {
    port: input.port,
    address: toListenAddress(input),
    isService: input.service,
    watchesInbox,
  };
  const attach = async () => {
    const running = await connectToRunningHost(cli.env, { watchesInbox });
    if (!running) return undefined;
    try {
      noteOutdatedHost(running, cli);
      return await attachToHost(running, spec, options, cli);
    } catch (error) {
      // An open connection would keep the command alive.
      await running.close();
      throw error;
    }
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
  const build = readBuildId();
  const daemon = await startDaemon({
    env,
    startedBy: "background",
    exitWhenIdleMs: BACKGROUND_IDLE_MS,
    build,
    script: commandPath(),
  });
  const stopListening = onStopSignal(() => void daemon.stop());
  await daemon.ended;
  stopListening();
  return 0;
}

/** Calls `stop` for each signal, except duplicates of the first one. Returns a function that stops listening. */
function onStopSignal(stop: () => void): () => void {
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    if (firstSignalAt !== undefined && isDuplicateSignal(firstSignalAt)) return;
    firstSignalAt ??= performance.now();
    stop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  return () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
}
