/** Renders the parameters of a tool: names, types, limits and defaults, and the server's descriptions. */
import { visibleJson, sanitizeLine, quoteName, renderType, keywordText } from "@plugboard/contracts";
import type { JsonObject, ToolParameter } from "@plugboard/contracts";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { textColumns } from "../../terminal/text-width.ts";
import { makeQuoter } from "../quote-untrusted.ts";

const INDENT = "    ";
const MAX_NAME_COLUMNS = 24;

export function renderParameters(parameters: readonly ToolParameter[], root: JsonObject, columns: number): Text {
  const quote = makeQuoter({ columns: columns - INDENT.length });
  const rows = parameters.map((parameter) => ({ ...parameter, name: sanitizeLine(quoteName(parameter.name)) }));
  const widths = rows.map(({ name }) => textColumns(name)).filter((width) => width <= MAX_NAME_COLUMNS);
  const nameWidth = Math.max(0, ...widths);
  return rows.map(({ name, required, schema }): Text => {
    const texts = [keywordText(schema, "title"), keywordText(schema, "description")].filter(
      (text) => text !== undefined,
    );
    const padding = " ".repeat(Math.max(0, nameWidth - textColumns(name)) + 2);
    const facts = `${padding}${sanitizeLine(describe(schema, required, root))}\n`;
    return ["  ", styled("bold", name), facts, texts.length === 0 ? "" : indent(quote(texts.join("\n")))];
  });
}

/** All alternatives of a choice are shown, because a model sees them too. */
const LIMITS = { depth: 6, parts: 500, alternatives: 200 };

function describe(schema: JsonObject, required: boolean, root: JsonObject): string {
  const limits = LIMIT_KEYWORDS.flatMap((keyword) => renderFact(keyword, schema[keyword]));
  return [renderType(schema, root, LIMITS), required ? "required" : "optional", ...limits].join(", ");
}

/** The keywords that are shown after the type, such as limits and defaults. */
const LIMIT_KEYWORDS = [
  ...["default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "examples"],
];

function renderFact(keyword: string, value: unknown): string[] {
  if (value === undefined) return [];
  return [`${keyword} ${tryRenderJson(value) === undefined ? "(nested too deeply to be shown)" : visibleJson(value)}`];
}

function indent(rows: string): string {
  return rows.replaceAll(/^(?=.)/gm, INDENT);
}
