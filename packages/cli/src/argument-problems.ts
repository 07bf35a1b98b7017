/** What is plainly wrong with the arguments of a tool: names, types, enums. Not all of JSON Schema; the server checks the rest. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export function argumentProblems(args: JsonObject, schema: JsonObject): string[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const closed = schema["additionalProperties"] === false && schema["patternProperties"] === undefined;
  const missing = required.filter((name) => typeof name === "string").filter((name) => !Object.hasOwn(args, name));
  return [
    ...missing.map((name) => `"${name}" is required`),
    ...Object.entries(args).flatMap(([name, value]) => {
      if (Object.hasOwn(properties, name)) return valueProblems(name, value, properties[name]);
      return closed ? [`"${name}" is not known`] : [];
    }),
  ];
}

/** The types that a schema names; none when it leaves them open. */
export function typesOf(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { type, enum: values, anyOf, oneOf } = schema;
  if (type !== undefined) return [type].flat().filter((one) => typeof one === "string");
  if (Array.isArray(values)) return [...new Set(values.map(typeOf))];
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const types = branches.map(typesOf);
  return types.every((one) => one.length > 0) ? [...new Set(types.flat())] : [];
}

function valueProblems(name: string, value: Json | undefined, schema: Json | undefined): string[] {
  const types = typesOf(schema);
  if (value === undefined) return [];
  const fits = types.length === 0 || types.some((type) => hasType(value, type));
  if (!fits) return [`"${name}" must be ${types.join(" or ")}, not ${JSON.stringify(value)}`];
  const values = isJsonObject(schema) ? schema["enum"] : undefined;
  if (!Array.isArray(values)) return [];
  const known = values.map((one) => JSON.stringify(one));
  const given = JSON.stringify(value);
  return known.includes(given) ? [] : [`"${name}" must be one of ${known.join(", ")}, not ${given}`];
}

function hasType(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type || !KNOWN.includes(type);
}

const KNOWN = ["string", "number", "integer", "boolean", "null", "array", "object"];

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
