/**
 * Runs programs in a network namespace of their own, in which only loopback exists. On systems without namespaces,
 * gives them proxies that don't exist instead.
 */
import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";

export interface LoopbackNamespace {
  /** Starts a program in the namespace. */
  start(command: readonly string[], options: SpawnOptions): ChildProcess;
  close(): Promise<void>;
}

/** Keeps programs that use proxies from reaching other machines. */
export const NO_PROXY_ENV = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};
/** The program that keeps the namespace alive. It ends when its input ends. */
const KEEPER = "PATH=$PATH:/sbin:/usr/sbin ip link set lo up && echo ready && exec cat";

export async function openLoopbackNamespace(): Promise<LoopbackNamespace> {
  if (process.platform !== "linux") return { start: startWithoutProxy, close: async () => {} };
  // A user other than root needs a user namespace as well.
  const isRoot = process.getuid?.() === 0;
  const keeper = spawn("unshare", [...(isRoot ? [] : ["-r"]), "-n", "sh", "-c", KEEPER], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(keeper, "close");
  await Promise.race([
    once(keeper.stdout, "data"),
    ended.then(([status]) => Promise.reject(new Error(`unshare ended with ${String(status)}`))),
  ]);
  const entering = ["-t", String(keeper.pid), ...(isRoot ? [] : ["-U", "--preserve-credentials"]), "-n", "--"];
  return {
    start: (command, options) => spawn("nsenter", [...entering, ...command], options),
    async close() {
      keeper.stdin.end();
      await ended;
    },
  };
}

function startWithoutProxy([program = "", ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(program, args, { ...options, env: { ...options.env, ...NO_PROXY_ENV } });
}
