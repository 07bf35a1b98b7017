/** Starts real server processes for a test, and ends them when the test is over. */
import { fileURLToPath } from "node:url";
import type { ProcessSpec, ServerProcess } from "@plugboard/mcp/process";
import { Processes } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { onTestFinished, vi } from "vitest";

export function makeProcesses(clock: Clock = systemClock): Processes {
  const processes = new Processes(clock);
  // By force: what was to be seen of a polite stop has been seen.
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

/** A server of one line of shell. */
export function shellSpec(line: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return processSpec("/bin/sh", ["-c", line], more);
}

/** A fixture of the testkit, by its file's name. */
export function fixtureSpec(name: string, ...args: readonly string[]): ProcessSpec {
  return processSpec(process.execPath, [fixturePath(name), ...args]);
}

export function fixturePath(name: string): string {
  return fileURLToPath(import.meta.resolve(`@plugboard/testkit/servers/${name}`));
}

/** Waits for what a process writes to stderr. */
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

/** The pids of a `deep-tree`, from the top down. */
export async function pidsOfTree(process: ServerProcess): Promise<number[]> {
  const [, ...pids] = await waitForStderr(process, /tree (\d+) (\d+) (\d+)/);
  return pids.map(Number);
}
