import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { controlPaths, HostError, THROUGH_HEADER } from "@plugboard/contracts";
import { checkSocketPath, ensureStateFolder, mentionedEnv, socketPath } from "@plugboard/host";
import { readInstanceVariable, spawnDetached } from "@plugboard/mcp/process";
import type { RemoteHost, RemoteWorkspace } from "@plugboard/remote";
import { openStream } from "@plugboard/remote/node";
import { attach } from "../open-host.ts";
import type { Surroundings } from "../surroundings.ts";
import { specOf } from "../with-workspace.ts";
import type { SharedOptions } from "../with-workspace.ts";

const START_MS = 10_000;

/** Joins our own streams to a front of the running host. Everything that is understood is understood there. */
export async function bridgeStdio(options: SharedOptions, { cwd, env, stdin, stdout }: Surroundings): Promise<number> {
  const host = (await attach(env, false)) ?? (await startHost(env));
  const spec = specOf(options, cwd);
  const workspace = (await host.workspace({ ...spec, env: await mentionedEnv(spec, env) })) as RemoteWorkspace;
  // What fails to start is told in the list of tools, by its absence, and in `plugboard status`.
  void workspace.start().catch(() => {});
  // A host that started this process, directly or through others, must not get its own tools back.
  const through = { [THROUGH_HEADER]: readInstanceVariable(env).join(",") };
  const stream = await openStream(socketPath(env), controlPaths.invoke(host.channel, workspace.id, "stdio"), through);
  stdin.pipe(stream);
  stream.pipe(stdout, { end: false });
  stream.on("error", () => stream.destroy());
  stdout.once("error", () => stream.destroy());
  await once(stream, "close");
  // Neither did the client end its input nor did it stop reading.
  const hostWent = !stdin.readableEnded && stdout.errored === null;
  stdin.unpipe(stream);
  stdin.destroy();
  await host.close();
  if (hostWent) throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" });
  return 0;
}

async function startHost(env: Surroundings["env"]): Promise<RemoteHost> {
  const command = fileURLToPath(new URL("../../bin/plugboard.js", import.meta.url));
  checkSocketPath(socketPath(env));
  const folder = await ensureStateFolder(env);
  const log = join(folder, "host.log");
  await spawnDetached(process.execPath, [command, "serve", "--background"], folder, log);
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const host = await attach(env, false);
    if (host) return host;
    // Nothing tells a stranger that a socket has appeared.
    await delay(30);
  }
  throw new HostError("HOST_UNREACHABLE", { reason: `it did not start; its words are in ${log}` });
}
