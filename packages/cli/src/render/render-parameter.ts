/** Renders one parameter of a tool: its name, type, limits and default, and the server's description. */
import { sanitizeLine } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { quoteName, renderType } from "../signatures/render-signature.ts";
import { textOf } from "../signatures/resolve-schema.ts";
import type { ToolParameter } from "../signatures/tool-parameters.ts";
import { renderJsonLine, tryRenderJson } from "../terminal/render-json.ts";
import { styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import type { Quoter } from "./quote-untrusted.ts";

/** All alternatives of a choice are shown, because a model sees them too. */
const LIMITS = { depth: 6, parts: 500, alternatives: 200 };

export function renderParameter(parameter: ToolParameter, root: JsonObject, quote: Quoter): Text {
  const { name, required, schema } = parameter;
  const facts = [
    renderType(schema, root, LIMITS),
    required ? "required" : "optional",
    ...LIMIT_KEYWORDS.flatMap((keyword) => renderFact(keyword, schema[keyword])),
  ];
  const texts = [textOf(schema, "title"), textOf(schema, "description")].filter((text) => text !== undefined);
  return [
    "  ",
    styled("bold", sanitizeLine(quoteName(name))),
    `  ${sanitizeLine(facts.join(", "))}\n`,
    texts.length === 0 ? "" : indent(quote(texts.join("\n"))),
  ];
}

/** The keywords that say which values are allowed, apart from the type. */
const LIMIT_KEYWORDS = [
  ...["default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "examples"],
];

function renderFact(keyword: string, value: unknown): string[] {
  if (value === undefined) return [];
  return [
    `${keyword} ${tryRenderJson(value) === undefined ? "(nested too deeply to be shown)" : renderJsonLine(value).trimEnd()}`,
  ];
}

function indent(rows: string): string {
  return rows.replaceAll(/^/gm, "      ").replace(/ +$/, "");
}
