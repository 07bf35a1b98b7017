/** Renders a tool as a signature, such as `read_file(path: string, head?: number)`. Pure. */
import type { Json, JsonObject } from "../lib/json.ts";
import { visibleJson } from "../lib/visible-json.ts";
import { isValidIdentifier, printType } from "./print-type.ts";
import type { PrintedProperty, TypeStyle } from "./print-type.ts";
import { schemaType } from "./schema-type.ts";
import type { TypeLimits } from "./schema-type.ts";
import { toolParameters } from "./tool-parameters.ts";
import type { ToolParameter } from "./tool-parameters.ts";

/** Returns functions that render the signature, each with fewer details than the one before. */
export function signatureVariants(name: string, inputSchema: JsonObject): readonly (() => string)[] {
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
  return variants.map((parts) => () => `${name}(${parts().join(", ")})`);
}

/**
 * Shows every parameter and default that a model sees. The more parameters there are, the less is shown of their types.
 */
export function renderFullSignature(name: string, inputSchema: JsonObject): string {
  const parameters = toolParameters(inputSchema);
  const parts = Math.max(1, Math.min(LIMITS.parts, Math.floor(MAX_FULL_PARTS / parameters.length)));
  const rendered = parameters.map((parameter) => {
    const type = printType(schemaType(parameter.schema, inputSchema, { ...LIMITS, parts }), FULL_STYLE);
    return `${renderName(parameter)}: ${type}${renderDefault(parameter.schema["default"])}`;
  });
  return `${name}(${rendered.join(", ")})`;
}

/** Renders the type that a schema allows. */
export function renderType(schema: Json | undefined, root: JsonObject, limits: TypeLimits = LIMITS): string {
  return printType(schemaType(schema, root, limits), SIGNATURE_STYLE);
}

/** Quotes a name unless it consists of letters, digits and `_.:/@-`. */
export function quoteName(name: string): string {
  return isValidIdentifier(name) || /^[\p{L}\p{N}_.:/@-]+$/u.test(name) ? name : visibleJson(name);
}

const LIMITS: TypeLimits = { depth: 4, parts: 200, alternatives: 12 };
const TIGHT_LIMITS: TypeLimits = { depth: 1, parts: 40, alternatives: 4 };
const MAX_PARAMETERS = 100;
const MAX_FULL_PARTS = 2_000;

function renderName({ name, required }: ToolParameter): string {
  return `${quoteName(name)}${required ? "" : "?"}`;
}

const SIGNATURE_STYLE: TypeStyle = {
  cut: "…",
  integer: "integer",
  anyObject: (others) => (others === undefined || others === "unknown" ? "object" : `Record<string, ${others}>`),
  object: (properties, others) => renderObject(properties.map(renderProperty), others),
};

const FULL_STYLE: TypeStyle = {
  ...SIGNATURE_STYLE,
  object: (properties, others) =>
    renderObject(
      properties.map((property) => `${renderProperty(property)}${renderDefault(property.default)}`),
      others,
    ),
};

function renderObject(properties: readonly string[], others: string | undefined): string {
  return `{${[...properties, ...(others === undefined ? [] : ["…"])].join(", ")}}`;
}

function renderProperty({ key, required, type }: PrintedProperty): string {
  return `${key}${required ? "" : "?"}: ${type}`;
}

function renderDefault(value: Json | undefined): string {
  return value === undefined ? "" : ` = ${visibleJson(value)}`;
}
