/** Runs a program in a child process, so that it can be killed, change its user or have resource limits. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** Runs an ES module, which can import the same modules as the tests of this package. */
export function runChild(program: string, shellSetup?: string): Promise<ChildResult> {
  return runChildIn(import.meta.dirname, program, shellSetup);
}

/**
 * Runs an ES module, which can import the same modules as a test in the folder. The shell runs `shellSetup` first, such
 * as `ulimit -n 20;`.
 */
export async function runChildIn(folder: string, program: string, shellSetup = ""): Promise<ChildResult> {
  const node = [process.execPath, "--input-type=module", "-e", program];
  const child = spawn("/bin/sh", ["-c", `${shellSetup} exec "$@"`, "sh", ...node], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => void child.kill("SIGKILL");
  onTestFinished(kill);
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { code, signal, output: stdout + stderr };
}

/** Creates a folder that is deleted after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-store-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
