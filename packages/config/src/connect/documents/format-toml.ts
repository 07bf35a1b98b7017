/** Formats JSON values as TOML on one line. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

/** Writes an object as an inline table. Expects no null, which TOML does not have. */
export function formatTomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(", ")}]`;
  if (!isJsonObject(value)) return formatPrimitive(value);
  const members = tomlMembers(value).map(([key, item]) => `${formatTomlKey(key)} = ${formatTomlValue(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Writes a table with its header. */
export function formatTomlTable(path: readonly string[], value: JsonObject, eol: string): string {
  const header = `[${path.map(formatTomlKey).join(".")}]`;
  return [header, ...tomlMembers(value).map(([key, item]) => formatTomlLine(key, item))]
    .map((line) => line + eol)
    .join("");
}

export function formatTomlLine(key: string, value: Json): string {
  return `${formatTomlKey(key)} = ${formatTomlValue(value)}`;
}

function formatTomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : formatPrimitive(key);
}

/** JSON's escapes are valid in TOML, which also requires one for DEL. */
function formatPrimitive(value: Json): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

function tomlMembers(value: JsonObject): [string, Json][] {
  return Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, item]]));
}
