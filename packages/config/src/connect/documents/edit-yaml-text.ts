/** Changes one key of a YAML text with block mappings. Keeps all other bytes. Expects a valid text. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Document, Pair, ParsedNode, Scalar, YAMLMap } from "yaml";
import type * as YamlModule from "yaml";
import { UnsupportedLayout } from "./unsupported-layout.ts";

type Path = readonly string[];
type Yaml = typeof YamlModule;
type Mapping = YAMLMap.Parsed<Scalar.Parsed>;
type Member = Pair<Scalar.Parsed, ParsedNode | null>;

/** Adds a new key after the last one of its mapping. Changes only the members of an existing mapping that differ. */
export async function setInYaml(text: string, path: Path, value: Json): Promise<string> {
  return setIn(await import("yaml"), text, path, value);
}

/** Writes `{}` for a mapping that loses its last key. */
export async function removeInYaml(text: string, path: Path): Promise<string> {
  return removeIn(await import("yaml"), text, path);
}

function setIn(yaml: Yaml, text: string, path: Path, value: Json): string {
  const { contents } = parse(yaml, text);
  const members = findMembers(yaml, contents, path);
  const member = members.at(-1);
  if (members.length === path.length && member) {
    if (isJsonObject(value) && isBlock(yaml, member.value)) return setMembers(yaml, text, path, member.value, value);
    return replaceMember(yaml, text, member, path, value);
  }
  const [key, ...inner] = path.slice(members.length);
  // Creates the missing mappings on the way.
  const added = inner.reduceRight<Json>((nested, innerKey) => ({ [innerKey]: nested }), value);
  const lines = (column: number) => formatMember(yaml, text, column, key!, added);
  const parent = member ? member.value : contents;
  if (isBlock(yaml, parent)) {
    const { column, end } = lastLine(text, parent, path);
    return insertLines(text, end, lines(column));
  }
  if (!member) {
    if (contents && !isEmpty(yaml, contents)) throw new UnsupportedLayout(path);
    if (contents?.range && contents.range[1] > contents.range[0]) throw new UnsupportedLayout(path);
    return insertLines(text, text.length, lines(0));
  }
  if (!isEmpty(yaml, parent)) throw new UnsupportedLayout(path.slice(0, members.length));
  const bare = removeFlowBraces(text, parent);
  return insertLines(bare, endOfLine(bare, member.key.range[1]), lines(columnOf(text, member.key, path) + INDENT));
}

function removeIn(yaml: Yaml, text: string, path: Path): string {
  const { contents } = parse(yaml, text);
  const members = findMembers(yaml, contents, path);
  const member = members.at(-1);
  if (members.length < path.length || !member) return text;
  const parentMember = members.at(-2);
  const parent = parentMember ? parentMember.value : contents;
  if (!isBlock(yaml, parent)) throw new UnsupportedLayout(path);
  const { start, end } = linesOf(text, member, path);
  const rest = text.slice(0, start) + text.slice(end);
  if (parent.items.length > 1 || !parentMember) return rest;
  const colon = text.indexOf(":", parentMember.key.range[1]) + 1;
  return `${rest.slice(0, colon)} {}${rest.slice(colon)}`;
}

function setMembers(yaml: Yaml, text: string, path: Path, map: Mapping, value: JsonObject): string {
  const stale = map.items.map(({ key }) => String(key.value)).filter((key) => value[key] === undefined);
  const set = Object.entries(value).reduce(
    (rest, [key, item]) => (item === undefined ? rest : setIn(yaml, rest, [...path, key], item)),
    text,
  );
  return stale.reduce((rest, key) => removeIn(yaml, rest, [...path, key]), set);
}

function replaceMember(yaml: Yaml, text: string, member: Member, path: Path, value: Json): string {
  if (member.value && yaml.isScalar(member.value) && !isJsonObject(value) && !Array.isArray(value)) {
    const [start, end] = member.value.range;
    // Replaces only a value on a single line in place. A block scalar ends with its line break.
    if (start < end && !/[\r\n]/.test(text.slice(start, end)))
      return text.slice(0, start) + yaml.stringify(value, { lineWidth: 0 }).trimEnd() + text.slice(end);
  }
  const { start, end } = linesOf(text, member, path);
  const lines = formatMember(yaml, text, columnOf(text, member.key, path), path.at(-1)!, value);
  return insertLines(text.slice(0, start) + text.slice(end), start, lines);
}

const INDENT = 2;

function parse(yaml: Yaml, text: string): Document.Parsed {
  return yaml.parseDocument(text, { uniqueKeys: false, logLevel: "silent" });
}

/** Returns the members on the path, as far as they exist. The last of several equal keys applies. */
function findMembers(yaml: Yaml, contents: unknown, path: Path): Member[] {
  const members: Member[] = [];
  let node = contents;
  for (const key of path) {
    if (!yaml.isMap(node)) break;
    const found = (node as Mapping).items.findLast((member) => yaml.isScalar(member.key) && member.key.value === key);
    if (!found) break;
    members.push(found);
    node = found.value;
  }
  return members;
}

function isBlock(yaml: Yaml, node: unknown): node is Mapping {
  return yaml.isMap(node) && node.flow !== true && node.items.length > 0;
}

/** Returns true for `{}`, for null and for a missing value. */
function isEmpty(yaml: Yaml, node: unknown): boolean {
  if (node === null || node === undefined) return true;
  return yaml.isMap(node) ? node.items.length === 0 : yaml.isScalar(node) && node.value === null;
}

function removeFlowBraces(text: string, node: ParsedNode | null): string {
  if (!node || node.range[0] === node.range[1]) return text;
  const before = text.slice(0, node.range[0]).trimEnd();
  return before + text.slice(node.range[1]);
}

/** Returns the column of the keys, and where the lines of the last one end. */
function lastLine(text: string, map: Mapping, path: Path): { readonly column: number; readonly end: number } {
  const member = map.items.at(-1)!;
  return { column: columnOf(text, member.key, path), end: linesOf(text, member, path).end };
}

/** Includes comments below the member that are indented more than its key. */
function linesOf(text: string, { key, value }: Member, path: Path): { readonly start: number; readonly end: number } {
  const column = columnOf(text, key, path);
  const contentEnd = Math.max(key.range[1], value?.range?.[1] ?? 0);
  let end = text[contentEnd - 1] === "\n" ? contentEnd : endOfLine(text, contentEnd);
  const comment = new RegExp(` {${column + 1},}#[^\\n]*(?:\\n|$)`, "y");
  for (comment.lastIndex = end; comment.test(text); end = comment.lastIndex);
  return { start: key.range[0] - column, end };
}

/** Throws for a key that does not start its line, as in `- key: value`. */
function columnOf(text: string, key: Scalar.Parsed, path: Path): number {
  const [start] = key.range;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  if (!/^ *$/.test(text.slice(start - column, start))) throw new UnsupportedLayout(path);
  return column;
}

function formatMember(yaml: Yaml, text: string, column: number, key: string, value: Json): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const formatted = yaml.stringify({ [key]: value }, { aliasDuplicateObjects: false, indent: INDENT, lineWidth: 0 });
  const lines = formatted.trimEnd().split("\n");
  return lines.map((line) => " ".repeat(column) + line + eol).join("");
}

function insertLines(text: string, position: number, lines: string): string {
  const before = text.slice(0, position);
  const eol = /\r?\n$/.exec(lines)![0];
  const separator = before === "" || before.endsWith("\n") ? "" : eol;
  return before + separator + lines + text.slice(position);
}

function endOfLine(text: string, position: number): number {
  const lineBreak = text.indexOf("\n", position);
  return lineBreak < 0 ? text.length : lineBreak + 1;
}
