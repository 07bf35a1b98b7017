/** Renders a tool as a signature, such as `read_file(path: string, head?: number)`. Pure. */
import type { JsonObject } from "@plugboard/contracts";
import { fitColumns, textColumns } from "../terminal/text-width.ts";
import { printType } from "./print-type.ts";
import type { PrintedProperty, TypeStyle } from "./print-type.ts";
import { isValidIdentifier, quoteText } from "./quote-text.ts";
import { schemaType } from "./schema-type.ts";
import type { TypeLimits } from "./schema-type.ts";
import { toolParameters } from "./tool-parameters.ts";
import type { ToolParameter } from "./tool-parameters.ts";

/** Leaves out details, and finally cuts the text, until the signature fits the width. */
export function renderSignature(name: string, inputSchema: JsonObject, width = Infinity): string {
  const all = toolParameters(inputSchema);
  const parameters = all.slice(0, MAX_PARAMETERS);
  const omitted = parameters.length < all.length ? ["…"] : [];
  const [required, optional] = [true, false].map((isRequired) =>
    parameters.filter((parameter) => parameter.required === isRequired),
  ) as [ToolParameter[], ToolParameter[]];
  const typed = (shown: readonly ToolParameter[], limits: TypeLimits) =>
    shown.map((parameter) => `${renderName(parameter)}: ${renderType(parameter.schema, inputSchema, limits)}`);
  const variants = [
    () => [...typed(parameters, LIMITS), ...omitted],
    () => [...typed(parameters, TIGHT_LIMITS), ...omitted],
    () => [...typed(required, TIGHT_LIMITS), ...optional.map(renderName), ...omitted],
    () => [...parameters.map(renderName), ...omitted],
    () => [...required.map(renderName), ...(required.length < all.length ? ["…"] : [])],
  ];
  let text = "";
  for (const variant of variants) {
    text = `${name}(${variant().join(", ")})`;
    if (textColumns(text) <= width) return text;
  }
  return fitColumns(text, width);
}

/** Renders the type that a schema allows. */
export function renderType(schema: JsonObject, root: JsonObject, limits: TypeLimits = LIMITS): string {
  return printType(schemaType(schema, root, limits), SIGNATURE_STYLE);
}

/** Quotes a name unless it consists of letters, digits and `_.:/@-`. */
export function quoteName(name: string): string {
  return isValidIdentifier(name) || /^[\p{L}\p{N}_.:/@-]+$/u.test(name) ? name : quoteText(name);
}

const LIMITS: TypeLimits = { depth: 4, parts: 200, alternatives: 12 };
const TIGHT_LIMITS: TypeLimits = { depth: 1, parts: 40, alternatives: 4 };
const MAX_PARAMETERS = 100;

function renderName({ name, required }: ToolParameter): string {
  return `${quoteName(name)}${required ? "" : "?"}`;
}

const SIGNATURE_STYLE: TypeStyle = {
  cut: "…",
  integer: "integer",
  anyObject: (others) => (others === undefined || others === "unknown" ? "object" : `Record<string, ${others}>`),
  object: (properties, others) =>
    `{${[...properties.map(renderProperty), ...(others === undefined ? [] : ["…"])].join(", ")}}`,
};

function renderProperty({ key, required, type }: PrintedProperty): string {
  return `${key}${required ? "" : "?"}: ${type}`;
}
