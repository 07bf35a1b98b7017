/** `name=value` words and `--args` as the arguments of a tool, read by what its schema says they are. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export function parseToolArguments(pairs: readonly string[], json: string | undefined, schema: JsonObject): JsonObject {
  const given = json === undefined ? {} : parseObject(json);
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) throw new HostError("USAGE", { what: `${JSON.stringify(pair)} is not of the form name=value` });
    const name = pair.slice(0, equals);
    given[name] = parseValue(name, pair.slice(equals + 1), typesOf(properties[name]));
  }
  return given;
}

/** Text stays text where the tool wants text; elsewhere it is JSON, and where the schema is silent whichever it can be. */
function parseValue(name: string, text: string, types: readonly string[]): Json {
  if (types.includes("string")) return text;
  const parsed = tryParse(text);
  if (parsed !== undefined) return parsed;
  if (types.length === 0) return text;
  throw new HostError("INVALID_ARGUMENTS", {
    what: `"${name}" must be ${types.join(" or ")}, not ${JSON.stringify(text)}`,
  });
}

function typesOf(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { type } = schema;
  if (Array.isArray(schema["enum"]) && type === undefined) return ["string"];
  return [type].flat().filter((one) => typeof one === "string");
}

function parseObject(json: string): JsonObject {
  const parsed = tryParse(json);
  if (isJsonObject(parsed)) return { ...parsed };
  throw new HostError("INVALID_ARGUMENTS", { what: "--args must be one JSON object" });
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
