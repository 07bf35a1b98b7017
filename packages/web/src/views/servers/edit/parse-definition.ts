/** Reads one server from the JSON that a user pastes, such as the example in a README. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, ServerEntry } from "@plugboard/contracts";

export type ParsedDefinition = { readonly entry: ServerEntry; readonly id?: string } | { readonly error: string };

/** Accepts a definition, `"id": {…}`, an object with definitions by id, and the whole config of a client. */
export function parseDefinition(text: string): ParsedDefinition {
  const parsed = parse(text);
  if ("error" in parsed) return parsed;
  if (!isJsonObject(parsed.value)) return { error: "The definition must be a JSON object." };
  const servers = serversOf(parsed.value);
  if (!servers) return { entry: parsed.value };
  const ids = Object.keys(servers);
  const [id] = ids;
  if (id === undefined) return { error: "There is no server in this text." };
  if (ids.length > 1)
    return { error: `There are ${ids.length} servers: ${ids.join(", ")}. Paste one of them: one is added at a time.` };
  const entry = servers[id];
  return isJsonObject(entry) ? { entry, id } : { error: `The definition of ${id} must be a JSON object.` };
}

function parse(text: string): { readonly value: unknown } | { readonly error: string } {
  // One entry of a file, with its id and perhaps with the comma behind it.
  const isEntry = /^\s*"[^"]*"\s*:/.test(text);
  try {
    return { value: JSON.parse(isEntry ? `{${text.replace(/,\s*$/, "")}}` : text) as unknown };
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` };
  }
}

/** Returns the servers by their ids. Undefined if the object is a definition itself. */
function serversOf(value: JsonObject): JsonObject | undefined {
  for (const key of ["mcpServers", "servers"]) {
    const servers = value[key];
    if (isJsonObject(servers)) return servers;
  }
  if (isJsonObject(value["mcp"])) return serversOf(value["mcp"]);
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(isDefinition) ? value : undefined;
}

function isDefinition(value: unknown): boolean {
  return isJsonObject(value) && (typeof value["command"] === "string" || typeof value["url"] === "string");
}
