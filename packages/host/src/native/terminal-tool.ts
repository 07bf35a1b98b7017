/**
 * The native tool `terminal`. Runs a command in a shell, in its own process group. The command gets the environment of a
 * server, without the secrets of the host. Without a sandbox it can do everything that the user can, so every call asks by
 * default.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describeSandbox, HostError, NATIVE_SERVER_ID } from "@plugboard/contracts";
import type { Clock, JsonObject, SandboxPolicy, ToolResult } from "@plugboard/contracts";
import type { ConfiguredSandbox } from "@plugboard/config";
import { OUTPUT_DRAIN_MS } from "@plugboard/mcp/process";
import type { Processes, ServerProcess } from "@plugboard/mcp/process";
import type { NativeContext, NativeTool } from "../tools/native-tool.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { ToolProblem, previewOrReject, resultOrProblem, toToolProblem } from "./files/tool-problem.ts";
import type { WorkspaceFolder } from "./files/workspace-folder.ts";
import { optionalString, requiredString, textToolResult } from "../tools/native-result.ts";

export interface TerminalOptions {
  readonly folder: WorkspaceFolder;
  readonly processes: Pick<Processes, "start">;
  readonly clock: Clock;
  /** Returns the sandbox of commands. Undefined without one. */
  readonly sandbox: () => TerminalSandbox | undefined;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
}

/** `unresolved`: why no command can run. */
export type TerminalSandbox = SandboxPolicy & Pick<ConfiguredSandbox, "unresolved">;

const NAME = "terminal";
const DEFAULT_FOLDER = ".";
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** The bytes that are kept of the beginning of the output, and of its end. */
const OUTPUT_BYTES = 20_000;

/** Makes programs write plain text, without a pager. */
const PLAIN_OUTPUT = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" };

/**
 * Makes Git ignore bare repositories inside the workspace. A cloned project or `write_file` could create one, and its
 * config can name a command that Git runs. `GIT_CONFIG_COUNT` of the host is not passed on, so this is the only entry.
 */
const SAFE_GIT = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
};

/**
 * Keeps cmd.exe from running a program of the current folder, such as a `git.exe` there, in place of the one on PATH.
 */
const SAFE_LOOKUP = { NoDefaultCurrentDirectoryInExePath: "1" };

const COMMAND_ENV = { ...PLAIN_OUTPUT, ...SAFE_GIT, ...SAFE_LOOKUP };

export function terminalTool(options: TerminalOptions): NativeTool {
  const { folder, sandbox } = options;
  return {
    name: NAME,
    description:
      "Runs a command in a shell (sh, or cmd.exe on Windows) and returns its output and exit status. It has no input. " +
      "Processes that it leaves behind are stopped.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line" },
        cwd: { type: "string", description: "The folder to run it in, inside the workspace. Default: the workspace" },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stops the command after this time. Default: ${DEFAULT_TIMEOUT_MS}`,
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    asks: true,
    defaultArguments: { cwd: DEFAULT_FOLDER },
    resolvePaths: (args) => folder.resolveArguments(args, ["cwd"]),
    preview: (args) =>
      previewOrReject(NAME, async () => {
        const policy = sandbox();
        const confined = policy ? `, in a sandbox (it ${describeSandbox(policy)})` : "";
        return `In ${await folderFor(folder, args)}${confined}:\n${requiredString(args, "command")}`;
      }),
    run: (args, context) => resultOrProblem(() => runCommand(args, context, options)),
  };
}

async function runCommand(
  args: JsonObject,
  { signal }: NativeContext,
  { folder, processes, clock, sandbox, released }: TerminalOptions,
): Promise<ToolResult> {
  const command = requiredString(args, "command");
  if (command.includes("\0")) throw new ToolProblem("The command contains a NUL character.");
  const { timeout_ms: timeout } = args;
  const timeoutMs = typeof timeout === "number" ? timeout : DEFAULT_TIMEOUT_MS;
  const cwd = await folderFor(folder, args);
  const stopped = AbortSignal.any([released, ...(signal ? [signal] : [])]);
  if (stopped.aborted) throw new ToolProblem("The command was not started, because the call was cancelled.");
  const started = await start(processes, { command, cwd, sandbox: sandbox() });
  const output = new BoundedOutput(OUTPUT_BYTES);
  const push = (chunk: Buffer) => output.push(chunk);
  started.stdout.on("data", push);
  started.followStderr(push);
  started.stdin.end();
  const end = await waitForEnd(started, { clock, timeoutMs, stopped });
  const status = end === "timeout" ? `Stopped, because it did not end within ${timeoutMs} ms.` : `Ended: ${end}`;
  const text = output.text;
  const lineBreak = text === "" || text.endsWith("\n") ? "" : "\n";
  return { ...textToolResult(`${text}${lineBreak}[${status}]`), ...(end === "timeout" && { isError: true }) };
}

const START_ERRORS: ReadonlySet<string> = new Set(["SERVER_SPAWN_FAILED", "SANDBOX_UNAVAILABLE"]);

async function start(
  processes: TerminalOptions["processes"],
  {
    command,
    cwd,
    sandbox,
  }: { readonly command: string; readonly cwd: string; readonly sandbox: TerminalSandbox | undefined },
): Promise<ServerProcess> {
  if (sandbox?.unresolved) throw new ToolProblem(`The command can't be started: ${sandbox.unresolved.reason}.`);
  const shell =
    process.platform === "win32"
      ? { command: "cmd.exe", args: ["/d", "/s", "/c", command] }
      : // The line break keeps the sandbox from taking a command that is a path for the script of the shell.
        { command: "/bin/sh", args: ["-c", sandbox ? `${command}\n` : command] };
  try {
    return await processes.start({ server: NATIVE_SERVER_ID, ...shell, cwd, env: COMMAND_ENV, sandbox });
  } catch (thrown) {
    if (!(thrown instanceof HostError && START_ERRORS.has(thrown.code))) throw thrown;
    const { reason } = thrown.details as { readonly reason: string };
    throw new ToolProblem(`The command can't be started: ${reason}.`, { cause: thrown });
  }
}

/**
 * Returns how the process ended, or "timeout". Stops its whole group when the time is over or the call is cancelled.
 */
async function waitForEnd(
  started: ServerProcess,
  { clock, timeoutMs, stopped }: { readonly clock: Clock; readonly timeoutMs: number; readonly stopped: AbortSignal },
): Promise<string> {
  let timedOut = false;
  const stop = () => void started.terminate();
  const stopTimer = clock.after(timeoutMs, () => {
    timedOut = true;
    stop();
  });
  stopped.addEventListener("abort", stop);
  // The call may have been cancelled while the process was starting.
  if (stopped.aborted) stop();
  const end = await started.exited;
  stopTimer();
  stopped.removeEventListener("abort", stop);
  let stopWaiting = () => {};
  const drained = new Promise<void>((resolve) => (stopWaiting = clock.after(OUTPUT_DRAIN_MS, resolve)));
  await Promise.race([started.outputEnded, drained]);
  stopWaiting();
  return timedOut ? "timeout" : end;
}

async function folderFor(folder: WorkspaceFolder, args: JsonObject): Promise<string> {
  const given = optionalString(args, "cwd") ?? DEFAULT_FOLDER;
  const { root, names } = await folder.resolve(given);
  const path = join(root, ...names);
  const stats = await stat(path).catch((error: unknown) => {
    throw toToolProblem(given, error);
  });
  if (!stats.isDirectory()) throw new ToolProblem(`"${given}" is not a folder.`);
  return path;
}
