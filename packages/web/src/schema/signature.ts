/** A schema as a short type, such as `{ path: string, head?: number }`. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { alternativesOf, propertiesOf, resolveSchema } from "./resolve-schema.ts";
import type { Property } from "./resolve-schema.ts";

const MAX_DEPTH = 4;
const MAX_PARTS = 40;
/** A schema that contains itself many times would take forever. */
const MAX_TYPES = 200;

/** Counts the types that a text can still show. */
interface Budget {
  types: number;
}

/** `read_file(path: string, head?: number)`. Shows every name, enum and default that a model sees. */
export function toolSignature(tool: string, inputSchema: JsonObject): string {
  const budget = { types: MAX_TYPES };
  const parts = propertiesOf(resolveSchema(inputSchema, inputSchema), inputSchema).map(
    ({ name, schema, required }) =>
      `${name}${required ? "" : "?"}: ${schemaText(schema, inputSchema, 0, budget)}${defaultText(schema)}`,
  );
  return `${tool}(${parts.join(", ")})`;
}

export function schemaText(
  schema: Json | undefined,
  root: JsonObject,
  depth = 0,
  budget: Budget = { types: MAX_TYPES },
): string {
  budget.types--;
  const resolved = resolveSchema(schema, root);
  if (resolved["const"] !== undefined) return JSON.stringify(resolved["const"]);
  const values = resolved["enum"];
  if (Array.isArray(values)) return limited(values, " | ", (value) => JSON.stringify(value));
  if (depth > MAX_DEPTH || budget.types < 0) return "…";
  const alternatives = alternativesOf(resolved);
  if (alternatives.length > 0 && resolved["properties"] === undefined) {
    const texts = alternatives.map((one) => schemaText(one, root, depth + 1, budget));
    return limited([...new Set(texts)], " | ", (text) => text);
  }
  const types = [resolved["type"]].flat().filter((type) => typeof type === "string");
  if (types.length > 1) return types.join(" | ");
  const [type] = types;
  if (type === "array") {
    const item = resolved["items"];
    return item === undefined ? "any[]" : `${bracketed(schemaText(item, root, depth + 1, budget))}[]`;
  }
  if (type === "object" || isJsonObject(resolved["properties"])) return objectText(resolved, root, depth, budget);
  return type ?? "any";
}

function objectText(schema: JsonObject, root: JsonObject, depth: number, budget: Budget): string {
  const properties = propertiesOf(schema, root);
  const text = ({ name, schema: inner, required }: Property) =>
    `${name}${required ? "" : "?"}: ${schemaText(inner, root, depth + 1, budget)}${defaultText(inner)}`;
  return properties.length === 0 ? "object" : `{ ${limited(properties, ", ", text)} }`;
}

function defaultText(schema: JsonObject): string {
  return schema["default"] === undefined ? "" : ` = ${JSON.stringify(schema["default"])}`;
}

function bracketed(text: string): string {
  return text.includes(" | ") ? `(${text})` : text;
}

function limited<T>(parts: readonly T[], separator: string, toText: (part: T) => string): string {
  const shown = parts.slice(0, MAX_PARTS).map(toText);
  const rest = parts.length - shown.length;
  return rest === 0 ? shown.join(separator) : `${shown.join(separator)}${separator}… ${rest} more`;
}
