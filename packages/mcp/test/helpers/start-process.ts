/** Starts real server processes for a test and ends them after the test. */
import { fileURLToPath } from "node:url";
import type { ProcessSpec, ServerProcess } from "@plugboard/mcp/process";
import { Processes } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { onTestFinished, vi } from "vitest";

export function makeProcesses(clock: Clock = systemClock): Processes {
  const processes = new Processes(clock);
  // The second call kills the servers immediately.
  onTestFinished(async () => void (await Promise.all([processes.stopAll(), processes.stopAll()])));
  return processes;
}

export function processSpec(
  command: string,
  args: readonly string[] = [],
  overrides: Partial<ProcessSpec> = {},
): ProcessSpec {
  return { server: "tested", command, args, cwd: process.cwd(), env: {}, ...overrides };
}

/** Returns a server that runs one line of shell. */
export function shellSpec(line: string, overrides: Partial<ProcessSpec> = {}): ProcessSpec {
  return processSpec("/bin/sh", ["-c", line], overrides);
}

/** Returns a server that runs a testkit fixture. */
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
