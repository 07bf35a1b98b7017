/** Starts real server processes for a test and ends them after the test. */
import { fileURLToPath } from "node:url";
import type { ProcessSpec, ServerProcess } from "@plugboard/mcp/process";
import { Processes } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { onTestFinished, vi } from "vitest";

export function makeProcesses(clock: Clock = systemClock): Processes {
  const processes = new Processes(clock);
  // Kills them, because the test has already seen what it needed.
  onTestFinished(async () => void (await Promise.all([processes.stopAll(), processes.stopAll()])));
  return processes;
}

export function processSpec(
  command: string,
  args: readonly string[] = [],
  more: Partial<ProcessSpec> = {},
): ProcessSpec {
  return { server: "tested", command, args, cwd: process.cwd(), env: {}, ...more };
}

/** A server that is one line of shell. */
export function shellSpec(line: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return processSpec("/bin/sh", ["-c", line], more);
}

/** Returns the path of a testkit fixture. */
export function fixtureSpec(name: string, ...args: readonly string[]): ProcessSpec {
  return processSpec(process.execPath, [fixturePath(name), ...args]);
}

export function fixturePath(name: string): string {
  return fileURLToPath(import.meta.resolve(`@plugboard/testkit/servers/${name}`));
}

/** Waits until the process has written a match to stderr. */
export async function waitForStderr(process: ServerProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return vi.waitFor(
    () => {
      const match = pattern.exec(process.stderrTail);
      if (!match) throw new Error(`${pattern} is not in: ${process.stderrTail}`);
      return match;
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Returns the pids of a `deep-tree`, from the top down. */
export async function pidsOfTree(process: ServerProcess): Promise<number[]> {
  const [, ...pids] = await waitForStderr(process, /tree (\d+) (\d+) (\d+)/);
  return pids.map(Number);
}
