/** Implements `plugboard stdio`. */
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { controlPaths, HostError, HOST_CHAIN_HEADER } from "@plugboard/contracts";
import { checkSocketPath, ensureStateFolder, referencedEnv, socketPath } from "@plugboard/host/internal";
import { readInstanceVariable, spawnDetached } from "@plugboard/mcp/process";
import type { RemoteHost, RemoteWorkspace } from "@plugboard/remote";
import { openUpgradedStream } from "@plugboard/remote/node";
import { commandPath } from "../../workspace/command-path.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";

const HOST_START_TIMEOUT_MS = 10_000;

/** Connects stdin and stdout to the gateway of the running host, which speaks MCP with the client. */
export async function bridgeStdio(options: ConfigOptions, cli: CliContext): Promise<number> {
  const { cwd, env, stdin, stdout } = cli;
  cli.liveLine.pause();
  const output = stdout.stream;
  const host = (await connectToRunningHost(env, { attended: false })) ?? (await startHost(env));
  const spec = toWorkspaceSpec(options, cwd);
  const workspace = (await host.workspace({ ...spec, env: await referencedEnv(spec, env) })) as RemoteWorkspace;
  // A server that fails to start has no tools in the list; `plugboard status` shows its error.
  void workspace.start().catch(() => {});
  // The ids of the hosts that started this process, so that they don't get their own tools back.
  const hostChainHeader = { [HOST_CHAIN_HEADER]: readInstanceVariable(env).join(",") };
  const stream = await openUpgradedStream(
    socketPath(env),
    controlPaths.invoke(host.channel, workspace.id, "stdio"),
    hostChainHeader,
  );
  stdin.pipe(stream);
  stream.pipe(output, { end: false });
  stream.on("error", () => stream.destroy());
  output.once("error", () => stream.destroy());
  await once(stream, "close");
  // The client has neither closed its input nor stopped reading, so the host closed the stream.
  const hostEnded = !stdin.readableEnded && output.errored === null;
  stdin.unpipe(stream);
  stdin.destroy();
  await host.close();
  if (hostEnded) throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" });
  return 0;
}

async function startHost(env: CliContext["env"]): Promise<RemoteHost> {
  checkSocketPath(socketPath(env));
  const folder = await ensureStateFolder(env);
  const log = join(folder, "host.log");
  await spawnDetached(process.execPath, [commandPath(), "serve", "--background"], folder, log);
  const deadline = performance.now() + HOST_START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const host = await connectToRunningHost(env, { attended: false });
    if (host) return host;
    // Polls, because nothing reports that the socket has appeared.
    await delay(30);
  }
  throw new HostError("HOST_UNREACHABLE", { reason: `it did not start; its log is ${log}` });
}
