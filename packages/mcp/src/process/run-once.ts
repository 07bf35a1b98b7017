/**
 * Runs a program and returns its output, for example a program that prints a secret. Uses no shell. The program gets
 * the same environment as a server. Limits its time and output, and kills everything that it has started. Error messages
 * contain neither its output nor its arguments, because these may be secrets.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "@plugboard/contracts";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";
import { currentPlatform } from "./current-platform.ts";
import { OUTPUT_DRAIN_MS } from "./server-process.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";

export interface RunSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables in addition to those that every server gets. */
  readonly env?: Environment;
  /** The text for its stdin. Use it for secrets, because other users can see arguments. */
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

/** The output on stdout, or the reason for the failure. */
type RunResult = { readonly stdout: string } | { readonly failed: string };

export async function runOnce(spec: RunSpec, clock: Clock): Promise<RunResult> {
  const { command, args, cwd, env = {}, input, timeoutMs = 10_000, maxOutputBytes = 64 * 1024 } = spec;
  const fullEnv = serverEnvironment(process.env, env, process.platform);
  const loading = currentPlatform.loadSpawn();
  const spawn = loading instanceof Promise ? await loading : loading;
  let child: ChildProcess;
  try {
    const stdin = input === undefined ? "ignore" : "pipe";
    child = spawn(command, args, { cwd, env: fullEnv, stdio: [stdin, "pipe", "ignore"], windowsHide: true });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
  } catch (error) {
    return { failed: await explainSpawnFailure({ command, cwd, env, fullEnv }, error as NodeJS.ErrnoException) };
  }
  // The program may exit without reading its stdin.
  child.stdin?.on("error", () => {}).end(input);
  return collectOutput(child, clock, timeoutMs, maxOutputBytes);
}

async function collectOutput(
  child: ChildProcess,
  clock: Clock,
  timeoutMs: number,
  maxOutputBytes: number,
): Promise<RunResult> {
  const group = currentPlatform.groupOf(child);
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
        // Another process that the program started may keep the pipe open, so the wait is limited.
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
