/** Implements `plugboard stdio`. */
import { once } from "node:events";
import { controlPaths, HostError, HOST_CHAIN_HEADER, readInstanceVariable } from "@plugboard/contracts";
import type { Env, WorkspaceSpec } from "@plugboard/contracts";
import { socketPath } from "@plugboard/store";
import type { RemoteHost } from "@plugboard/remote";
import { openUpgradedStream } from "@plugboard/remote/node";
import { noteOutdatedHost } from "../../workspace/note-outdated-host.ts";
import { BUSY_HOST_TIMEOUT_MS, connectToRunningHost } from "../../workspace/open-host.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";

/** Shown to a user who runs the command by hand, and would otherwise see nothing. */
const TERMINAL_NOTE =
  "`plugboard stdio` is for MCP clients, which start it and send JSON-RPC on stdin. `plugboard connect` connects one. Stop with Ctrl-C.\n";

interface StdioInput extends ConfigOptions {
  readonly profile: string | undefined;
}

/** Connects stdin and stdout to the gateway of the running host, which speaks MCP with the client. */
export async function bridgeStdio(options: StdioInput, cli: CliContext): Promise<number> {
  const { env, stdin } = cli;
  cli.liveLine.pause();
  if (stdin.isTTY) cli.stderr.write(TERMINAL_NOTE);
  const spec = toWorkspaceSpec(options, cli.cwd);
  const running = await connectToRunningHost(env, { workspace: spec, connectTimeoutMs: BUSY_HOST_TIMEOUT_MS });
  const host = running ?? (await startHost(env, spec));
  noteOutdatedHost(host, cli);
  try {
    return await bridge(host, options.profile, cli);
  } finally {
    // An open input would keep the process running.
    stdin.destroy();
    await host.close();
  }
}

async function bridge(
  { channel, opened }: RemoteHost,
  profile: string | undefined,
  { env, stdin, stdout }: CliContext,
): Promise<number> {
  const output = stdout.stream;
  // The ids of the hosts that started this process, so that they don't get their own tools back.
  const hostChainHeader = { [HOST_CHAIN_HEADER]: readInstanceVariable(env).join(",") };
  const stream = await openUpgradedStream(
    socketPath(env),
    controlPaths.stdio(channel, opened!.workspace.id, profile),
    hostChainHeader,
  );
  stdin.pipe(stream);
  stream.pipe(output, { end: false });
  stream.on("error", () => stream.destroy());
  output.once("error", () => stream.destroy());
  await once(stream, "close");
  stdin.unpipe(stream);
  // The client has neither closed its input nor stopped reading, so the host closed the stream.
  const hostEnded = !stdin.readableEnded && output.errored === null;
  if (hostEnded)
    throw new HostError("HOST_UNREACHABLE", {
      reason: "it was stopped or restarted; reconnect this server in your agent",
    });
  return 0;
}

async function startHost(env: Env, spec: WorkspaceSpec): Promise<RemoteHost> {
  const { startBackgroundHost } = await import("../../workspace/start-background-host.ts");
  return startBackgroundHost(env, spec);
}
