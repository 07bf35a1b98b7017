/** Renders the JSON Schemas of a tool as models see them, including invisible characters. */
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { modelVisibleText } from "@plugboard/host/model-tools";
import type { VisibleText } from "@plugboard/host/model-tools";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { displayName } from "./render-tool-list.ts";

export function renderToolSchemas(offered: OfferedTool): Text {
  const { inputSchema, outputSchema, annotations } = offered;
  const visibleTexts = modelVisibleText(offered);
  const json = (part: string, value: unknown) => tryRenderJson(value) ?? renderTexts(part, visibleTexts);
  return [
    styled("bold", sanitizeLine(displayName(offered))),
    `\nArguments: ${json("inputSchema", inputSchema)}`,
    outputSchema === undefined ? "" : `Result: ${json("outputSchema", outputSchema)}`,
    annotations === undefined ? "" : `Hints from the server (unverified): ${json("annotations", annotations)}`,
  ];
}

/** Lists the distinct texts of a value that is nested too deeply to be serialized. */
function renderTexts(part: string, visibleTexts: readonly VisibleText[]): string {
  const inside = visibleTexts.filter(({ path }) => path.startsWith(part) || path.startsWith("…"));
  const texts = new Set(inside.map(({ text }) => sanitizeLine(text)));
  return `(nested too deeply to be shown; it contains these texts:)\n${[...texts].map((text) => `  ${text}\n`).join("")}`;
}
