/** Runs the `plugboard` command in a pseudo-terminal, with pipes in a process of its own, or in the test's process. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openUrl } from "@plugboard/mcp/process";
import { OutputBuffer } from "@plugboard/testkit/output-buffer";
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import type { Terminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { recorderEnv } from "@plugboard/testkit/recorder-env";
import { onTestFinished, vi } from "vitest";
import { run } from "#run.js";
import type { ProcessContext } from "#terminal/cli-context.js";

export const command = fileURLToPath(new URL("../../bin/plugboard.js", import.meta.url));

/** Holds compiled code, so that commands start faster in all tests. */
const SHARED_CACHE = fileURLToPath(new URL("../../../../node_modules/.cache/plugboard-tests", import.meta.url));

export interface Setup {
  readonly cwd: string;
  /** The whole environment of the command. The files of the user who runs the tests are not used. */
  readonly env: { readonly [name: string]: string };
}

/** Makes a temporary folder with a config file and a state folder. */
export async function setUp(config: object | string = {}): Promise<Setup> {
  const cwd = await mkdtemp(join(tmpdir(), "plugboard-cli-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const file = join(cwd, "config.json");
  await writeFile(file, typeof config === "string" ? config : JSON.stringify(config));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    PLUGBOARD_CONFIG_PATH: file,
    XDG_STATE_HOME: join(cwd, "state"),
    XDG_CACHE_HOME: SHARED_CACHE,
  };
  return { cwd, env };
}

/** Returns a server entry with the given behavior. See `puppet-server.mjs`. */
export function puppetServer(behavior: object): { command: string; args: string[] } {
  const script = fileURLToPath(new URL("./puppet-server.mjs", import.meta.url));
  return { command: process.execPath, args: [script, JSON.stringify(behavior)] };
}

export function runInTerminal(setup: Setup, ...args: string[]): Terminal {
  return programInTerminal(setup, process.execPath, [command, ...args]);
}

export function programInTerminal(setup: Setup, program: string, args: readonly string[]): Terminal {
  const terminal = openTerminal(program, args, { cwd: setup.cwd, env: setup.env });
  onTestFinished(() => terminal.kill());
  return terminal;
}

/** Starts the command with pipes in a process of its own, which is stopped when the test finishes. */
export function startCommand(setup: Setup, ...args: string[]) {
  const env = withRecorder(setup.env);
  const child = spawn(process.execPath, [command, ...args], { cwd: setup.cwd, env });
  const [stdout, stderr] = [new OutputBuffer(), new OutputBuffer()];
  child.stdout.on("data", (chunk: Buffer) => stdout.append(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => stderr.append(chunk.toString()));
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (status) => {
      for (const output of [stdout, stderr]) output.close(`the command exited with ${status}`);
      resolve(status);
    });
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  return { child, stdout, stderr, exited };
}

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command with pipes in this process, which is faster than `runPipedProcess`. */
export async function runPiped(setup: Setup, ...args: string[]): Promise<CommandResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const printed = [stdout, stderr].map((stream) => text(stream));
  const streams = { stdin, stdout, stderr } as unknown as Pick<ProcessContext, "stdin" | "stdout" | "stderr">;
  const { cwd, env } = setup;
  const exit = (status: number) => {
    throw new Error(`the command would have ended the process with ${status}`);
  };
  // The command reads HOME from the process.
  vi.stubEnv("HOME", env["HOME"]);
  const status = await run(args, { cwd, env, ...streams, openUrl: (url) => openUrl(url, { env }), exit });
  for (const stream of [stdout, stderr]) stream.end();
  const [out = "", err = ""] = await Promise.all(printed);
  return { status, stdout: out, stderr: err };
}

export function runPipedProcess(setup: Setup, ...args: string[]): Promise<CommandResult> {
  return runPipedWithInput(setup, "", ...args);
}

export async function runPipedWithInput(setup: Setup, input: string, ...args: string[]): Promise<CommandResult> {
  const { child, stdout, stderr, exited } = startCommand(setup, ...args);
  child.stdin.end(input);
  return { status: (await exited) ?? -1, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a line of bash, in which `plugboard` is the command. */
export async function runInShell(setup: Setup, line: string): Promise<CommandResult> {
  const script = `plugboard() { "${process.execPath}" "${command}" "$@"; }\n${line}`;
  const env = withRecorder(setup.env);
  const child = spawn("bash", ["-c", script], { cwd: setup.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = [new OutputBuffer(), new OutputBuffer()];
  child.stdout.on("data", (chunk: Buffer) => stdout.append(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => stderr.append(chunk.toString()));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status: status ?? -1, stdout: stdout.text, stderr: stderr.text };
}

/** Adds the variables of the frame recorder, and keeps the test's own NODE_OPTIONS. */
function withRecorder(env: Setup["env"]) {
  const recorder = recorderEnv();
  const options = [env["NODE_OPTIONS"], recorder["NODE_OPTIONS"]].filter((value) => value !== undefined);
  return { ...env, ...recorder, ...(options.length > 0 && { NODE_OPTIONS: options.join(" ") }) };
}
