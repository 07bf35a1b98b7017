/** Implements `plugboard call`. */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { JsonObject, Progress, ToolResult, Workspace } from "@plugboard/contracts";
import { interruptedError, rejectOnInterrupt } from "../../terminal/interruption.ts";
import { coerceArguments, parseRawArguments } from "../../arguments/parse-tool-arguments.ts";
import { readArgsOption } from "../../arguments/read-args-option.ts";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { renderToolResult } from "../../render/render-tool-result.ts";
import { makeOutputFolder, saveBlobs } from "./save-blobs.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions, CommandContext } from "../../workspace/with-workspace.ts";

/** The exit status if the tool ran and its result has `isError`. */
const EXIT_TOOL_ERROR = 1;

interface CallInput extends CommandOptions {
  readonly tool: string;
  readonly pairs: readonly string[];
  readonly args: string | undefined;
  readonly output: string | undefined;
}

/** Calls one tool and prints its result. If `ref` names the server (`server:tool`), starts only that server. */
export async function callTool({ tool: ref, pairs, ...options }: CallInput, cli: CliContext): Promise<number> {
  const rawArguments = parseRawArguments(pairs, await readArgsOption(options.args, cli));
  const { stdout, stderr, cwd } = cli;
  const outputFolder = options.output === undefined ? undefined : await makeOutputFolder(cwd, options.output);
  const call = async (context: CommandContext) => {
    const schema = await inputSchemaOf(ref, context);
    const result = await callWithProgress(ref, coerceArguments(rawArguments, schema), context, cli);
    const output = options.json ? tryRenderJson(result) : renderToolResult(result);
    if (output === undefined) throw nestingError(ref);
    stdout.content(output);
    const saved = outputFolder === undefined ? [] : await saveBlobs(result, outputFolder);
    // With --json, stdout contains only the JSON.
    for (const path of saved) (options.json ? stderr : stdout).write(`saved ${sanitizeLine(path)}\n`);
    return result.isError ? EXIT_TOOL_ERROR : 0;
  };
  const server = serverIdOf(ref);
  const upcomingCall = server === undefined ? undefined : { server, tool: ref.slice(server.length + 1) };
  return withWorkspace(options, cli, call, { server }, upcomingCall);
}

/** Returns an empty schema for a tool that is not offered. The call then fails with the reason. */
async function inputSchemaOf(ref: string, { workspace, interrupted }: CommandContext): Promise<JsonObject> {
  await rejectOnInterrupt(connect(ref, workspace, interrupted), interrupted);
  const tools = await rejectOnInterrupt(workspace.tools.list(), interrupted);
  return tools.find(({ server, tool, name }) => ref === `${server}:${tool}` || ref === name)?.inputSchema ?? {};
}

function connect(ref: string, workspace: Workspace, signal: AbortSignal): Promise<unknown> {
  const server = serverIdOf(ref);
  return server === undefined ? workspace.start() : workspace.servers.connect(server, { signal });
}

/** Returns undefined for a tool name as models see it, because any server may have that tool. */
function serverIdOf(ref: string): string | undefined {
  const colon = ref.indexOf(":");
  return colon < 0 ? undefined : ref.slice(0, colon);
}

async function callWithProgress(
  ref: string,
  args: JsonObject,
  { workspace, interrupted }: CommandContext,
  { stderr }: CliContext,
): Promise<ToolResult> {
  try {
    return await workspace.tools.call(ref, args, {
      signal: interrupted,
      ...(stderr.isTTY && { onProgress: (progress) => stderr.write(`${renderProgress(progress)}\n`) }),
    });
  } catch (thrown) {
    throw interrupted.aborted ? interruptedError(interrupted, "call", "; the server was sent a cancellation") : thrown;
  }
}

function nestingError(tool: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", {
    server: tool,
    reason: "the result is nested too deeply to be printed",
  });
}

function renderProgress({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `… ${share}${message === undefined ? "" : ` ${sanitizeLine(message)}`}`;
}
