/** Checks the names, types and enums of a tool's arguments. The host and the server check the rest of the JSON Schema. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export function validateArguments(args: JsonObject, schema: JsonObject): string[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rejectsUnknownNames = schema["additionalProperties"] === false && schema["patternProperties"] === undefined;
  const missing = required.filter((name) => typeof name === "string").filter((name) => !Object.hasOwn(args, name));
  return [
    ...missing.map((name) => `"${name}" is required`),
    ...Object.entries(args).flatMap(([name, value]) => {
      if (Object.hasOwn(properties, name)) return validateValue(name, value, properties[name]);
      return rejectsUnknownNames ? [`"${name}" is unknown`] : [];
    }),
  ];
}

/** Returns the types that a schema allows, or an empty list if it does not restrict them. */
export function schemaTypes(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { type, enum: values, anyOf, oneOf } = schema;
  if (type !== undefined) return [type].flat().filter((name) => typeof name === "string");
  if (Array.isArray(values)) return [...new Set(values.map(jsonType))];
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const typesByBranch = branches.map(schemaTypes);
  const isRestricted = typesByBranch.every((types) => types.length > 0);
  return isRestricted ? [...new Set(typesByBranch.flat())] : [];
}

function validateValue(name: string, value: Json | undefined, schema: Json | undefined): string[] {
  const types = schemaTypes(schema);
  if (value === undefined) return [];
  const matchesType = types.length === 0 || types.some((type) => hasType(value, type));
  if (!matchesType) return [`"${name}" must be ${types.join(" or ")}, not ${JSON.stringify(value)}`];
  const values = isJsonObject(schema) ? schema["enum"] : undefined;
  if (!Array.isArray(values)) return [];
  const allowed = values.map((allowedValue) => JSON.stringify(allowedValue));
  const actual = JSON.stringify(value);
  return allowed.includes(actual) ? [] : [`"${name}" must be one of ${allowed.join(", ")}, not ${actual}`];
}

function hasType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  // A type that JSON Schema does not define is not checked.
  return jsonType(value) === type || !JSON_TYPES.includes(type);
}

const JSON_TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];

function jsonType(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
