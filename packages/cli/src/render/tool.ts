/** Tools as a list, or one with all that a model would see of it. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { tryRenderJson } from "./json.ts";
import { renderTable } from "./table.ts";

export function renderToolList(tools: readonly OfferedTool[]): string {
  if (tools.length === 0) return "No tools.\n";
  const rows = tools.map(({ server, tool, description }) => [`${server}:${tool}`, firstLine(description)]);
  return renderTable(["TOOL", "DESCRIPTION"], rows);
}

export function renderTool(offered: OfferedTool): string {
  const { server, tool, name, title, description, inputSchema, outputSchema, annotations } = offered;
  const parts = [
    sanitiseLine(`${server}:${tool}`),
    `name for models: ${name}`,
    ...(title === undefined ? [] : [`title: ${sanitiseLine(title)}`]),
    "",
    sanitise(description),
    "",
    `Arguments: ${json(inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`Result: ${json(outputSchema)}`]),
    ...(annotations === undefined ? [] : [`Hints from the server (unverified): ${json(annotations)}`]),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

function json(value: unknown): string {
  return tryRenderJson(value) ?? "(nested too deeply to be shown)\n";
}

const MAX_LINE = 80;

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  // In whole characters: half of a pair is none. Each is one or two units long.
  const characters = Array.from(line.slice(0, 2 * MAX_LINE + 2));
  return characters.length <= MAX_LINE ? line : `${characters.slice(0, MAX_LINE - 1).join("")}…`;
}
