/** Reads the JSON Schema of a tool, which is untrusted, as the fields of a form. Pure. */
import { alternativesOf, isJsonObject, keywordList, resolveSchema } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export type FieldKind =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "object"
  | "array"
  | "enum"
  | "const"
  | "alternatives"
  | "json";

/** Decides which control a schema needs. `json`: raw JSON, because the form has no better control. */
export function fieldKind(schema: JsonObject): FieldKind {
  if (schema["const"] !== undefined) return "const";
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return "enum";
  const types = [schema["type"]].flat().filter((type) => type !== "null");
  const [type] = types;
  if (types.length > 1) return "json";
  if (alternativesOf(schema).length > 0 && schema["properties"] === undefined) return "alternatives";
  if (type === "object" || (type === undefined && isJsonObject(schema["properties"]))) {
    return isJsonObject(schema["properties"]) ? "object" : "json";
  }
  if (type === "array") return isJsonObject(schema["items"]) ? "array" : "json";
  if (type === "string" || type === "number" || type === "integer" || type === "boolean") return type;
  return "json";
}

export interface Property {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** The properties of an object schema, required ones first. */
export function propertiesOf(schema: JsonObject, root: JsonObject): Property[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(keywordList(schema, "required"));
  const all = Object.entries(properties).map(([name, value]) => ({
    name,
    schema: resolveSchema(value, root),
    required: required.has(name),
  }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

const MAX_INITIAL_DEPTH = 10;
/** A schema that contains itself many times would take forever. */
const MAX_INITIAL_VALUES = 200;

/** The value that a form begins with: defaults, and the parts that are required. */
export function initialValue(
  schema: Json | undefined,
  root: JsonObject,
  depth = 0,
  budget = { values: MAX_INITIAL_VALUES },
): Json | undefined {
  budget.values--;
  const resolved = resolveSchema(schema, root);
  if (resolved["default"] !== undefined) return resolved["default"];
  if (resolved["const"] !== undefined) return resolved["const"];
  if (fieldKind(resolved) !== "object" || depth > MAX_INITIAL_DEPTH || budget.values < 0) return undefined;
  const entries = propertiesOf(resolved, root).flatMap(({ name, schema: inner, required }) => {
    const value = required || inner["default"] !== undefined ? initialValue(inner, root, depth + 1, budget) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The value of a new item of a list. */
export function emptyValue(schema: JsonObject): Json {
  switch (fieldKind(schema)) {
    case "object":
      return {};
    case "array":
      return [];
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "json":
      return null;
    default:
      return "";
  }
}

/** Returns the index of the first alternative whose type the value has. 0 if there is none. */
export function matchingAlternative(alternatives: readonly JsonObject[], value: Json | undefined): number {
  if (value === undefined) return 0;
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const matches = (schema: JsonObject) => {
    if (schema["const"] !== undefined) return schema["const"] === value;
    if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
    const types = [schema["type"]].flat();
    return types.includes(type) || (type === "number" && Number.isInteger(value) && types.includes("integer"));
  };
  return Math.max(0, alternatives.findIndex(matches));
}

/** Returns how deep a form can show the schema, at most `maxDepth`, so that it has at most `maxFields` fields. */
export function formDepth(
  schema: JsonObject,
  { maxDepth, maxFields }: { maxDepth: number; maxFields: number },
): number {
  let depth = maxDepth;
  while (depth > 0 && countFields(schema, schema, depth, maxFields) > maxFields) depth--;
  return depth;
}

/** Stops counting above `limit`. */
function countFields(schema: Json | undefined, root: JsonObject, depth: number, limit: number): number {
  const resolved = resolveSchema(schema, root);
  const [alternative] = alternativesOf(resolved);
  const isObject = isJsonObject(resolved["properties"]);
  if (depth < 0 || (!isObject && alternative === undefined)) return 1;
  const inner = isObject ? propertiesOf(resolved, root).map((property) => property.schema) : [alternative];
  let count = 1;
  for (const one of inner) {
    if (count > limit) break;
    count += countFields(one, root, depth - 1, limit - count);
  }
  return count;
}
