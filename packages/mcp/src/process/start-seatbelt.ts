/** Starts a server in a sandbox of macOS. `sandbox-exec` replaces itself by the server, so the process is the server's own. */
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Clock, SandboxPolicy } from "@plugboard/contracts";
import {
  cacheVariables,
  HostsProxy,
  inspectFiles,
  proxyVariables,
  SandboxDenials,
  sandboxMounts,
  SandboxProblem,
  seatbeltProfile,
} from "../sandbox/index.ts";
import { makeMark } from "./process-mark.ts";
import { posix } from "./posix.ts";
import { serverEnvironment } from "./server-environment.ts";
import { ServerProcess } from "./server-process.ts";
import type { ProcessSpec } from "./spawn-server.ts";

/** Calls `onSpawn` in the same turn in which the process is created. */
export async function startSeatbelt(
  spec: ProcessSpec & { readonly sandbox: SandboxPolicy },
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
  program = "/usr/bin/sandbox-exec",
): Promise<ServerProcess> {
  const { command, args, cwd, sandbox: policy } = spec;
  const { cache, network } = policy;
  const ownEnv = serverEnvironment(process.env, spec.env, process.platform);
  const files = await inspectFiles(policy, { command, args, cwd, env: ownEnv });
  if (cache !== undefined) await mkdir(cache, { recursive: true, mode: 0o700 });
  const denials = new SandboxDenials(policy, sandboxMounts(policy, files));
  const temp = await mkdtemp(join(await realpath(tmpdir()), "plugboard-sandbox-"));
  const proxy =
    typeof network === "object" ? new HostsProxy(network, (tried) => denials.handleAttempt(tried)) : undefined;
  const end = async () => {
    proxy?.close();
    await rm(temp, { recursive: true, force: true });
  };
  try {
    const proxyPort = proxy && (await listen(proxy));
    const profile = seatbeltProfile({ policy, files, temp, ...(proxyPort !== undefined && { proxyPort }) });
    const { mark, variable } = makeMark();
    const env = {
      ...ownEnv,
      TMPDIR: temp,
      ...(cache !== undefined && cacheVariables(cache)),
      ...(proxyPort !== undefined && proxyVariables(proxyPort)),
      ...variable,
    };
    const child = posix.spawn(program, ["-p", profile, command, ...args], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    for (const pipe of child.stdio) pipe?.on("error", () => {});
    if (child.pid === undefined) {
      const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
      throw new SandboxProblem(`${program} can't be started (${error.code ?? error.name})`);
    }
    const { stdin, stdout, stderr } = child as unknown as { stdin: Writable; stdout: Readable; stderr: Readable };
    stderr.on("data", (chunk: Buffer) => denials.handleOutput(chunk));
    const started = new ServerProcess(child, posix.groupOf(child, mark), clock, {
      pipes: { stdin, stdout, stderr },
      denials,
      exitReason: (code, signal) => signal ?? `exit code ${code}`,
      end,
      kill: () => {},
    });
    onSpawn(started);
    return started;
  } catch (error) {
    await end();
    throw error;
  }
}

/** Other programs of this user can reach the port, too. They can reach the hosts without it. */
async function listen(proxy: HostsProxy): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  proxy.serve(listener);
  return (listener.address() as AddressInfo).port;
}
