import { HostError, sanitise, sanitiseLine } from "@plugboard/contracts";
import type { HostErrorJson, OfferedTool, Workspace } from "@plugboard/contracts";
import { renderJson } from "../render/json.ts";
import { renderTable } from "../render/table.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** What all servers offer, what one server offers, or one tool with all that the model would see of it. */
export function showTools(
  what: string | undefined,
  options: CommonOptions,
  surroundings: Surroundings,
): Promise<number> {
  const [server, tool] = what === undefined ? [] : split(what);
  return withWorkspace(options, surroundings, async ({ workspace }) => {
    const { stdout, stderr } = surroundings;
    const errors = server === undefined ? (await workspace.start()).errors : await connectOne(workspace, server);
    const offered = (await workspace.tools.list()).filter((one) => server === undefined || one.server === server);
    const chosen = tool === undefined ? offered : offered.filter((one) => one.tool === tool);
    if (tool !== undefined && chosen.length === 0) throw new HostError("TOOL_NOT_FOUND", { tool: what! });
    if (options.json) stdout.write(renderJson(chosen));
    else stdout.write(tool === undefined ? renderList(chosen) : chosen.map(renderTool).join("\n"));
    for (const [id, error] of Object.entries(errors))
      stderr.write(`${id}: ${error.code}: ${sanitiseLine(error.message)}\n`);
    return 0;
  });
}

async function connectOne(workspace: Workspace, server: string): Promise<{ [id: string]: HostErrorJson }> {
  await workspace.servers.connect(server);
  return {};
}

function split(what: string): [string, string?] {
  const colon = what.indexOf(":");
  return colon < 0 ? [what] : [what.slice(0, colon), what.slice(colon + 1)];
}

function renderList(tools: readonly OfferedTool[]): string {
  if (tools.length === 0) return "No tools.\n";
  const rows = tools.map(({ server, tool, description }) => [`${server}:${tool}`, firstLine(description)]);
  return renderTable(["TOOL", "DESCRIPTION"], rows);
}

function renderTool({
  server,
  tool,
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: OfferedTool): string {
  const parts = [
    sanitiseLine(`${server}:${tool}`),
    `name for models: ${name}`,
    ...(title === undefined ? [] : [`title: ${sanitiseLine(title)}`]),
    "",
    sanitise(description),
    "",
    `takes: ${renderJson(inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`answers: ${renderJson(outputSchema)}`]),
    ...(annotations === undefined ? [] : [`says of itself (unverified): ${renderJson(annotations)}`]),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

const MAX_LINE = 80;

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}
