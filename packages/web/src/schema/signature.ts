/** A schema as a short type, such as `{ path: string, head?: number }`. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { alternativesOf, propertiesOf, resolveSchema } from "./resolve-schema.ts";

const MAX_DEPTH = 4;
const MAX_PARTS = 40;

/** `read_file(path: string, head?: number)`. Shows every name, enum and default that a model sees. */
export function toolSignature(tool: string, inputSchema: JsonObject): string {
  const parts = propertiesOf(resolveSchema(inputSchema, inputSchema), inputSchema).map(
    ({ name, schema, required }) =>
      `${name}${required ? "" : "?"}: ${schemaText(schema, inputSchema)}${defaultText(schema)}`,
  );
  return `${tool}(${parts.join(", ")})`;
}

export function schemaText(schema: Json | undefined, root: JsonObject, depth = 0): string {
  const resolved = resolveSchema(schema, root);
  if (resolved["const"] !== undefined) return JSON.stringify(resolved["const"]);
  const values = resolved["enum"];
  if (Array.isArray(values))
    return limited(
      values.map((value) => JSON.stringify(value)),
      " | ",
    );
  if (depth > MAX_DEPTH) return "…";
  const alternatives = alternativesOf(resolved);
  if (alternatives.length > 0 && resolved["properties"] === undefined) {
    return limited([...new Set(alternatives.map((one) => schemaText(one, root, depth + 1)))], " | ");
  }
  const types = [resolved["type"]].flat().filter((type) => typeof type === "string");
  if (types.length > 1) return types.join(" | ");
  const [type] = types;
  if (type === "array") {
    const item = resolved["items"];
    return item === undefined ? "any[]" : `${bracketed(schemaText(item, root, depth + 1))}[]`;
  }
  if (type === "object" || isJsonObject(resolved["properties"])) return objectText(resolved, root, depth);
  return type ?? "any";
}

function objectText(schema: JsonObject, root: JsonObject, depth: number): string {
  const parts = propertiesOf(schema, root).map(
    ({ name, schema: inner, required }) =>
      `${name}${required ? "" : "?"}: ${schemaText(inner, root, depth + 1)}${defaultText(inner)}`,
  );
  return parts.length === 0 ? "object" : `{ ${limited(parts, ", ")} }`;
}

function defaultText(schema: JsonObject): string {
  return schema["default"] === undefined ? "" : ` = ${JSON.stringify(schema["default"])}`;
}

function bracketed(text: string): string {
  return text.includes(" | ") ? `(${text})` : text;
}

function limited(parts: readonly string[], separator: string): string {
  const shown = parts.slice(0, MAX_PARTS);
  const rest = parts.length - shown.length;
  return rest === 0 ? shown.join(separator) : `${shown.join(separator)}${separator}… ${rest} more`;
}
