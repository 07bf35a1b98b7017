/** Tools as a list, or one with all that a model would see of it. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { everythingSeen } from "@plugboard/host";
import type { SeenText } from "@plugboard/host";
import { tryRenderJson } from "./json.ts";
import { renderTable } from "./table.ts";

export function renderToolList(tools: readonly OfferedTool[]): string {
  if (tools.length === 0) return "No tools.\n";
  const rows = tools.map(({ server, tool, description }) => [`${server}:${tool}`, firstLine(description)]);
  return renderTable(["TOOL", "DESCRIPTION"], rows);
}

/** Nothing that a model sees is left out, and nothing in it is hidden. */
export function renderTool(offered: OfferedTool): string {
  const { server, tool, name, title, description, inputSchema, outputSchema, annotations } = offered;
  const seen = everythingSeen(offered);
  const origin = seen.find(({ path }) => path === "origin")?.text;
  const json = (part: string, value: unknown) => tryRenderJson(value) ?? renderTexts(part, seen);
  const parts = [
    sanitiseLine(`${server}:${tool}`),
    `name for models: ${name}`,
    ...(title === undefined ? [] : [`title: ${sanitiseLine(title)}`]),
    "",
    sanitise(description),
    ...(origin === undefined ? [] : [`Models are told with it: ${origin}`]),
    "",
    `Arguments: ${json("inputSchema", inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`Result: ${json("outputSchema", outputSchema)}`]),
    ...(annotations === undefined ? [] : [`Hints from the server (unverified): ${json("annotations", annotations)}`]),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

/** What is nested too deeply to be written as it is: every text in it, once. */
function renderTexts(part: string, seen: readonly SeenText[]): string {
  const inside = seen.filter(({ path }) => path.startsWith(part) || path.startsWith("…"));
  const texts = new Set(inside.map(({ text }) => sanitiseLine(text)));
  return `(nested too deeply to be shown; the texts in it:)\n${[...texts].map((text) => `  ${text}\n`).join("")}`;
}

const MAX_LINE = 80;

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  // In whole characters: half of a pair is none. Each is one or two units long.
  const characters = Array.from(line.slice(0, 2 * MAX_LINE + 2));
  return characters.length <= MAX_LINE ? line : `${characters.slice(0, MAX_LINE - 1).join("")}…`;
}
