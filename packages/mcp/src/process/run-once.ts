/**
 * Runs a program for what it writes, such as one that prints a secret. No
 * shell; of our environment it sees what servers see. It is bounded in time and
 * output and ends with all that it has started. Neither its output nor its
 * arguments are in what is said of a failure: they may be secrets.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "../lib/clock.ts";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";
import { currentPlatform } from "./current-platform.ts";
import { OUTPUT_DRAIN_MS } from "./server-process.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";

export interface RunSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Beside the fixed few of ours. */
  readonly env?: Environment;
  /** What it reads from stdin: the place for what must not be among its arguments. */
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

/** What it wrote to stdout, or in words why that can't be used. */
export type RunResult = { readonly stdout: string } | { readonly failed: string };

export async function runOnce(spec: RunSpec, clock: Clock): Promise<RunResult> {
  const { command, args, cwd, env = {}, input, timeoutMs = 10_000, maxOutputBytes = 64 * 1024 } = spec;
  const fullEnv = serverEnvironment(process.env, env, process.platform);
  const spawning = currentPlatform.spawn();
  const spawn = spawning instanceof Promise ? await spawning : spawning;
  let child: ChildProcess;
  try {
    const stdin = input === undefined ? "ignore" : "pipe";
    child = spawn(command, args, { cwd, env: fullEnv, stdio: [stdin, "pipe", "ignore"], windowsHide: true });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
  } catch (error) {
    return { failed: await explainSpawnFailure({ command, cwd, env, fullEnv }, error as NodeJS.ErrnoException) };
  }
  // It may end without having read it.
  child.stdin?.on("error", () => {}).end(input);
  return collectOutput(child, clock, timeoutMs, maxOutputBytes);
}

async function collectOutput(
  child: ChildProcess,
  clock: Clock,
  timeoutMs: number,
  maxOutputBytes: number,
): Promise<RunResult> {
  const group = currentPlatform.group(child);
  const kill = () => group.kill();
  process.on("exit", kill);
  try {
    return await new Promise<RunResult>((resolve) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let exitError = "";
      const cancelTimeout = clock.after(timeoutMs, () => settle({ failed: `it did not end in ${timeoutMs} ms` }));
      let cancelDrain = () => {};
      const settle = (result: RunResult) => {
        cancelTimeout();
        cancelDrain();
        resolve(result);
      };
      const finish = () =>
        settle(exitError === "" ? { stdout: Buffer.concat(chunks).toString("utf8") } : { failed: exitError });
      const stdout = child.stdout as Readable;
      stdout.on("error", () => {});
      stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxOutputBytes) settle({ failed: `it wrote more than ${maxOutputBytes} bytes` });
        else chunks.push(chunk);
      });
      child.on("error", () => settle({ failed: "its command was not found" }));
      child.once("exit", (code, signal) => {
        if (code !== 0) exitError = `it ended with ${signal ?? `exit code ${code}`}`;
        // What it has left behind may hold the pipe open; nobody waits for that.
        cancelDrain = clock.after(OUTPUT_DRAIN_MS, finish);
      });
      child.once("close", finish);
    });
  } finally {
    process.off("exit", kill);
    if (group.alive) kill();
    child.stdout?.destroy();
  }
}
