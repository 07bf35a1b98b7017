/** Runs a command with the running host, or with one that it starts in the background. */
import type { RemoteHost } from "@plugboard/remote";
import type { CliContext } from "../terminal/cli-context.ts";
import { noteOutdatedHost } from "./note-outdated-host.ts";
import { connectToRunningHost } from "./open-host.ts";
import { startBackgroundHost } from "./start-background-host.ts";

/** `wasRunning` is false if the command has started the host. If the command fails, such a host is stopped again. */
export async function withBackgroundHost(
  cli: CliContext,
  run: (host: RemoteHost, wasRunning: boolean) => Promise<void>,
): Promise<void> {
  const running = await connectToRunningHost(cli.env, {});
  if (running) noteOutdatedHost(running, cli);
  const host = running ?? (await startBackgroundHost(cli.env));
  try {
    await run(host, running !== undefined);
  } catch (error) {
    if (!running) await stopUnused(host);
    throw error;
  } finally {
    await host.close();
  }
}

/** Stops the host that this command has started, unless somebody else uses it already. */
async function stopUnused(host: RemoteHost): Promise<void> {
  const { clients } = await host.control.info();
  if (clients.stdio + clients.http + clients.other === 0) await host.control.stop({ force: true });
}
