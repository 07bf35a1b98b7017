/** Renders a list of tools, or the details of one tool. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { modelVisibleText } from "@plugboard/host/internal";
import type { VisibleText } from "@plugboard/host/internal";
import { tryRenderJson } from "../terminal/render-json.ts";
import { renderTable } from "./render-table.ts";

export function renderToolList(tools: readonly OfferedTool[]): string {
  if (tools.length === 0) return "No tools.\n";
  const rows = tools.map(({ server, tool, description }) => [`${server}:${tool}`, firstLine(description)]);
  return renderTable(["TOOL", "DESCRIPTION"], rows);
}

/** Shows everything that a model sees of the tool, including invisible characters. */
export function renderTool(offered: OfferedTool): string {
  const { server, tool, name, title, description, inputSchema, outputSchema, annotations } = offered;
  const visibleTexts = modelVisibleText(offered);
  const origin = visibleTexts.find(({ path }) => path === "origin")?.text;
  const json = (part: string, value: unknown) => tryRenderJson(value) ?? renderTexts(part, visibleTexts);
  const parts = [
    sanitizeLine(`${server}:${tool}`),
    `name for models: ${name}`,
    ...(title === undefined ? [] : [`title: ${sanitizeLine(title)}`]),
    "",
    sanitize(description),
    ...(origin === undefined ? [] : [`Note added for models: ${origin}`]),
    "",
    `Arguments: ${json("inputSchema", inputSchema)}`,
    ...(outputSchema === undefined ? [] : [`Result: ${json("outputSchema", outputSchema)}`]),
    ...(annotations === undefined ? [] : [`Hints from the server (unverified): ${json("annotations", annotations)}`]),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

/** Lists the distinct texts of a value that is nested too deeply to be serialized. */
function renderTexts(part: string, visibleTexts: readonly VisibleText[]): string {
  const inside = visibleTexts.filter(({ path }) => path.startsWith(part) || path.startsWith("…"));
  const texts = new Set(inside.map(({ text }) => sanitizeLine(text)));
  return `(nested too deeply to be shown; it contains these texts:)\n${[...texts].map((text) => `  ${text}\n`).join("")}`;
}

const MAX_LINE = 80;

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  // A character has one or two UTF-16 units, so twice as many units contain enough characters.
  const characters = Array.from(line.slice(0, 2 * MAX_LINE + 2));
  return characters.length <= MAX_LINE ? line : `${characters.slice(0, MAX_LINE - 1).join("")}…`;
}
