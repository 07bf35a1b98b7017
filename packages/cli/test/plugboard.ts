/** Runs the real command: in a pseudo-terminal of its own, or with pipes as a script would. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTerminal } from "@plugboard/testkit/pseudo-terminal";
import type { Terminal } from "@plugboard/testkit/pseudo-terminal";
import { recorderEnv } from "@plugboard/testkit/recorder-env";
import { onTestFinished } from "vitest";

const command = fileURLToPath(new URL("../bin/plugboard.js", import.meta.url));

export interface Setup {
  readonly cwd: string;
  readonly config: string;
}

/** A folder with a config file of its own; nothing of the user's is read. */
export async function setUp(config: object = {}): Promise<Setup> {
  const cwd = await mkdtemp(join(tmpdir(), "plugboard-cli-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const file = join(cwd, "config.json");
  await writeFile(file, typeof config === "string" ? config : JSON.stringify(config));
  return { cwd, config: file };
}

function environment({ cwd, config }: Setup) {
  return { PATH: process.env["PATH"] ?? "", HOME: cwd, PLUGBOARD_CONFIG_PATH: config };
}

export function inTerminal(setup: Setup, ...args: string[]): Terminal {
  const terminal = openTerminal(process.execPath, [command, ...args], { cwd: setup.cwd, env: environment(setup) });
  onTestFinished(() => terminal.kill());
  return terminal;
}

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function piped(setup: Setup, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: setup.cwd, env: { ...environment(setup), ...recorderEnv() } };
    const child = execFile(process.execPath, [command, ...args], options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}
