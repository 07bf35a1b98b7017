import { HostError, sanitise, sanitiseLine } from "@plugboard/contracts";
import type { JsonObject, Progress, ToolResult, Workspace } from "@plugboard/contracts";
import { interruptedError, unlessInterrupted } from "../interruption.ts";
import { fitArguments, readTypedArguments } from "../parse-tool-arguments.ts";
import { readArgsOption } from "../read-args-option.ts";
import { tryRenderJson } from "../render/json.ts";
import { renderToolResult } from "../render/tool-result.ts";
import { makeOutputFolder, saveBlobs } from "../save-blobs.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions, Opened } from "../with-workspace.ts";

/** The exit status of a call whose tool answered that it failed. */
const TOOL_SAID_ERROR = 1;

export interface CallOptions extends CommonOptions {
  readonly args?: string;
  readonly output?: string;
}

/** Calls one tool and prints what it answers. Starts that tool's server only. */
export async function callTool(
  ref: string,
  pairs: readonly string[],
  options: CallOptions,
  surroundings: Surroundings,
): Promise<number> {
  const typed = readTypedArguments(pairs, await readArgsOption(options.args, surroundings));
  const { stdout, stderr, cwd } = surroundings;
  const folder = options.output === undefined ? undefined : await makeOutputFolder(cwd, options.output);
  const call = async (opened: Opened) => {
    const schema = await schemaOf(ref, opened);
    const result = await makeCall(ref, fitArguments(typed, schema), opened, surroundings);
    const shown = options.json ? tryRenderJson(result) : renderToolResult(result);
    if (shown === undefined) throw tooDeep(ref);
    stdout.write(stdout.isTTY && !options.json ? sanitise(shown) : shown);
    const saved = folder === undefined ? [] : await saveBlobs(result, folder);
    // A program that reads the JSON gets nothing else.
    for (const path of saved) (options.json ? stderr : stdout).write(`saved ${sanitiseLine(path)}\n`);
    return result.isError ? TOOL_SAID_ERROR : 0;
  };
  return withWorkspace(options, surroundings, call, { server: serverIn(ref) });
}

/** Of a tool that is not offered nothing is known; the host tells why when it is called. */
async function schemaOf(ref: string, { workspace, interrupted }: Opened): Promise<JsonObject> {
  await unlessInterrupted(connect(ref, workspace, interrupted), interrupted);
  const tools = await unlessInterrupted(workspace.tools.list(), interrupted);
  return tools.find(({ server, tool, name }) => ref === `${server}:${tool}` || ref === name)?.inputSchema ?? {};
}

function connect(ref: string, workspace: Workspace, signal: AbortSignal): Promise<unknown> {
  const server = serverIn(ref);
  return server === undefined ? workspace.start() : workspace.servers.connect(server, { signal });
}

/** A model-visible name says nothing about its server: it is looked up among what all servers offer. */
function serverIn(ref: string): string | undefined {
  const colon = ref.indexOf(":");
  return colon < 0 ? undefined : ref.slice(0, colon);
}

async function makeCall(
  ref: string,
  args: JsonObject,
  { workspace, interrupted }: Opened,
  { stderr }: Surroundings,
): Promise<ToolResult> {
  try {
    return await workspace.tools.call(ref, args, {
      signal: interrupted,
      ...(stderr.isTTY && { onProgress: (progress) => stderr.write(`${renderProgress(progress)}\n`) }),
    });
  } catch (thrown) {
    throw interrupted.aborted ? interruptedError(interrupted, "call", "; the server was told") : thrown;
  }
}

function tooDeep(tool: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server: tool, what: "the result is nested too deeply to be printed" });
}

function renderProgress({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `… ${share}${message === undefined ? "" : ` ${sanitiseLine(message)}`}`;
}
