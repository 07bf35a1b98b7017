/** Changes one table or value of a TOML text. Keeps all other bytes. Expects a valid text. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { formatTomlLine, formatTomlTable, formatTomlValue } from "./format-toml.ts";
import { scanToml } from "./scan-toml.ts";
import type { TomlItem } from "./scan-toml.ts";
import { UnsupportedLayout } from "./unsupported-layout.ts";

type Path = readonly string[];

/** Adds a new table at the end of the text. Changes only the members of an existing table that differ. */
export function setInToml(text: string, path: Path, value: Json): string {
  const items = scanToml(text);
  const exact = items.find(({ kind, path: other }) => kind === "value" && isSame(other, path));
  if (exact) return replaceRange(text, exact.valueStart, exact.valueEnd, formatTomlValue(value));
  const inside = items.filter(({ path: other }) => startsWith(other, path));
  if (inside.length > 0) {
    if (!isJsonObject(value)) throw new UnsupportedLayout(path);
    return setMembers(text, path, inside, value);
  }
  const table = items.find(({ kind, path: other }) => kind === "table" && isSame(other, path.slice(0, -1)));
  // A server such as `mcp_servers.name` gets its own table. An object further down is written on one line.
  if (isJsonObject(value) && path.length === 2) return appendTable(text, path, value, items);
  if (!table) throw new UnsupportedLayout(path);
  return insertLine(text, formatTomlLine(path.at(-1)!, value), endOfTable(items, table));
}

/** Also removes the tables below the path. */
export function removeInToml(text: string, path: Path): string {
  const items = scanToml(text);
  const cuts: [start: number, end: number][] = [];
  for (const [index, item] of items.entries()) {
    if (!startsWith(item.path, path)) continue;
    const last = cuts.at(-1);
    const isNext = index > 0 && startsWith(items[index - 1]!.path, path);
    // Comments between two parts of the table are removed, too.
    if (last && isNext) last[1] = item.end;
    else cuts.push([item.start, item.end]);
  }
  return cuts.reduceRight((rest, [start, end]) => cutLines(rest, start, end), text);
}

function setMembers(text: string, path: Path, items: readonly TomlItem[], value: JsonObject): string {
  const keys = new Set(items.flatMap(({ path: other }) => (other.length > path.length ? [other[path.length]!] : [])));
  const stale = [...keys].filter((key) => value[key] === undefined);
  const kept = stale.reduce((rest, key) => removeInToml(rest, [...path, key]), text);
  return Object.entries(value).reduce(
    (rest, [key, item]) => (item === undefined ? rest : setInToml(rest, [...path, key], item)),
    kept,
  );
}

function appendTable(text: string, path: Path, value: JsonObject, items: readonly TomlItem[]): string {
  // A table can't be added to an inline table.
  const parent = path.slice(0, -1);
  if (items.some(({ kind, path: other }) => kind === "value" && isSame(other, parent)))
    throw new UnsupportedLayout(parent);
  const eol = eolOf(text);
  const before = text === "" || text.endsWith("\n") ? text : text + eol;
  const gap = before.trim() === "" || /\n\r?\n$/.test(before) ? "" : eol;
  return before + gap + formatTomlTable(path, value, eol);
}

/** Returns the position after the last value of a table. */
function endOfTable(items: readonly TomlItem[], table: TomlItem): number {
  const following = items.slice(items.indexOf(table) + 1);
  const next = following.findIndex(({ kind }) => kind === "table");
  return (next < 0 ? following : following.slice(0, next)).at(-1)?.end ?? table.end;
}

function insertLine(text: string, line: string, position: number): string {
  const eol = eolOf(text);
  const before = text.slice(0, position);
  return before + (before.endsWith("\n") ? line + eol : eol + line) + text.slice(position);
}

/** Cuts whole lines. Also cuts the blank line before them if a blank line or the end of the text follows. */
function cutLines(text: string, start: number, end: number): string {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const blank = /(?<=\n)\r?\n$/.exec(before);
  return blank && /^(?:\r?\n|$)/.test(after) ? before.slice(0, blank.index) + after : before + after;
}

function replaceRange(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((key, index) => path[index] === key);
}

function isSame(path: Path, other: Path): boolean {
  return path.length === other.length && startsWith(path, other);
}
