import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { Progress } from "@plugboard/contracts";
import { parseToolArguments } from "../parse-tool-arguments.ts";
import { renderJson } from "../render/json.ts";
import { renderToolResult } from "../render/tool-result.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** The exit status of a call whose tool answered that it failed. */
const TOOL_SAID_ERROR = 1;

/** Calls one tool and prints what it answers. Starts that tool's server only. */
export function callTool(
  ref: string,
  pairs: readonly string[],
  options: CommonOptions & { args?: string },
  surroundings: Surroundings,
): Promise<number> {
  const { stdout, stderr } = surroundings;
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const colon = ref.indexOf(":");
    // A model-visible name says nothing about its server: it is looked up among what all servers offer.
    if (colon < 0) await workspace.start();
    else await workspace.servers.connect(ref.slice(0, colon), { signal: interrupted });
    const tools = await workspace.tools.list();
    const tool = tools.find((offered) => ref === `${offered.server}:${offered.tool}` || ref === offered.name);
    const args = parseToolArguments(pairs, options.args, tool?.inputSchema ?? {});
    const result = await workspace.tools.call(ref, args, {
      signal: interrupted,
      ...(stderr.isTTY && { onProgress: (progress) => stderr.write(`${renderProgress(progress)}\n`) }),
    });
    if (options.json) stdout.write(renderJson(result));
    else stdout.write(stdout.isTTY ? sanitise(renderToolResult(result)) : renderToolResult(result));
    return result.isError ? TOOL_SAID_ERROR : 0;
  });
}

function renderProgress({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `… ${share}${message === undefined ? "" : ` ${sanitiseLine(message)}`}`;
}
