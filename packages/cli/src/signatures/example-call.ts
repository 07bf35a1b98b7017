/** Makes a command line that calls a tool with example values. Pure. */
import type { Json, JsonObject, OfferedTool } from "@plugboard/contracts";
import {
  quoteShellWord,
  visibleJson,
  isJsonObject,
  allowedTypes,
  allowedValues,
  hasType,
  keywordList,
  resolveSchema,
  keywordText,
  toolParameters,
} from "@plugboard/contracts";

type NamedTool = Pick<OfferedTool, "server" | "tool" | "inputSchema">;

/** A longer line would not be read. */
const MAX_PARAMETERS = 12;

/**
 * Returns the line with the required arguments. Returns undefined if a name or value can't be typed safely, because
 * people copy the line into a shell.
 */
export function exampleCall({ server, tool, inputSchema }: NamedTool): string | undefined {
  const required = toolParameters(inputSchema).filter((parameter) => parameter.required);
  if (required.length > MAX_PARAMETERS) return undefined;
  const words = [
    `${server}:${tool}`,
    ...required.map(({ name, schema }) => exampleWord(name, exampleValue(schema, inputSchema), schema, inputSchema)),
  ].map((word) => word && quoteTypable(word));
  return words.every((word) => word !== undefined) ? `plugboard call ${words.join(" ")}` : undefined;
}

/** Returns `name=value`, or `name:=json` for a value that has no other form. */
function exampleWord(name: string, value: Json, schema: JsonObject, root: JsonObject): string | undefined {
  // These names mean something else on the command line.
  if (/=|:$/.test(name)) return undefined;
  // `name=value` also gives a list of one value, if the schema says that the parameter is a list.
  const [single, ...others] = Array.isArray(value) ? value : [value];
  const isTyped = allowedTypes(schema, root).length > 0;
  const isPlain = isTyped && others.length === 0 && single !== undefined && typeof single !== "object";
  if (!isPlain) return `${name}:=${JSON.stringify(value)}`;
  // A text that begins with `@` is written with another `@`.
  return `${name}=${typeof single === "string" && single.startsWith("@") ? "@" : ""}${String(single)}`;
}

const MAX_DEPTH = 4;
const MAX_PROPERTIES = 4;
const MAX_EXAMPLE_CHARS = 60;

function exampleValue(schema: Json | undefined, root: JsonObject, depth = 0): Json {
  const resolved = resolveSchema(schema, root);
  const types = allowedTypes(resolved, root);
  const given = [resolved["default"], ...keywordList(resolved, "examples"), ...(allowedValues(resolved, root) ?? [])];
  const isUsable = (value: Json) => types.length === 0 || types.some((type) => hasType(value, type));
  const usable = given.find((value) => value !== undefined && isShort(value) && isUsable(value));
  if (usable !== undefined) return usable;
  if (depth === MAX_DEPTH) return null;
  // Takes the first schema, also of `allOf`, because an example need not match all of them.
  const firstSubschema = [
    ...keywordList(resolved, "anyOf"),
    ...keywordList(resolved, "oneOf"),
    ...keywordList(resolved, "allOf"),
  ][0];
  if (resolved["type"] === undefined && firstSubschema !== undefined)
    return exampleValue(firstSubschema, root, depth + 1);
  return exampleOfType(types[0], resolved, root, depth);
}

function isShort(value: Json): boolean {
  return typeof value !== "object" && String(value).length <= MAX_EXAMPLE_CHARS;
}

function exampleOfType(type: string | undefined, schema: JsonObject, root: JsonObject, depth: number): Json {
  switch (type) {
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [exampleValue(schema["items"], root, depth + 1)];
    case "object":
      return exampleObject(schema, root, depth);
    default:
      return EXAMPLES_BY_FORMAT.get(keywordText(schema, "format") ?? "") ?? "...";
  }
}

function exampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = keywordList(schema, "required").slice(0, MAX_PROPERTIES);
  const names = required.filter((name) => typeof name === "string");
  const entries = names.map((name): [string, Json] => [
    name,
    exampleValue(Object.hasOwn(properties, name) ? properties[name] : undefined, root, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

const EXAMPLES_BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ["uri", "https://example.com"],
  ["email", "name@example.com"],
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
]);

/** Returns undefined for a word that can't be typed or copied safely. */
function quoteTypable(word: string): string | undefined {
  return visibleJson(word).includes("\\u") || /[\n\r\t]/.test(word) ? undefined : quoteShellWord(word);
}
