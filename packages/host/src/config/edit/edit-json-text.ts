/**
 * Changes one part of a JSON text with comments. Pure. Keeps every other character: other members, their order,
 * and comments outside the removed part. Expects a text without syntax errors and without duplicate keys on the
 * path.
 */
import type { Json, JsonObject } from "@plugboard/contracts";
import { isJsonObject } from "@plugboard/contracts";
import { parseTree } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { canonicalDigest } from "../../lib/canonical-digest.ts";
import { findMember, membersOf, nodeValue } from "../parse/config-text.ts";
import { detectFormat, formatSingleLine, formatMultiLine } from "./format-json.ts";

export type JsonPath = readonly string[];

export function nodeAt(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return path.reduce<Node | undefined>((node, key) => findMember(node, key)?.value, root);
}

/** Creates missing parent objects. Rewrites only the members of an existing object that differ. */
export function setIn(text: string, path: JsonPath, value: Json): string {
  const node = nodeAt(text, path);
  if (!node) {
    const parent = nodeAt(text, path.slice(0, -1));
    const key = path.at(-1)!;
    if (!parent) return setIn(text, path.slice(0, -1), { [key]: value });
    return insert(text, parent, value, `${JSON.stringify(key)}: `);
  }
  const old = nodeValue(node) as Json;
  if (canonicalDigest(old) === canonicalDigest(value)) return text;
  if (isJsonObject(value) && node.type === "object" && !hasDuplicateKeys(node))
    return setMembers(text, path, node, value);
  return replace(text, node, value);
}

export function removeIn(text: string, path: JsonPath): string {
  const property = nodeAt(text, path)?.parent;
  return property?.parent ? remove(text, property.parent, property) : text;
}

export function appendIn(text: string, path: JsonPath, item: Json): string {
  const list = nodeAt(text, path);
  return list ? insert(text, list, item) : setIn(text, path, [item]);
}

export function removeItem(text: string, path: JsonPath, index: number): string {
  const list = nodeAt(text, path);
  const item = list?.children?.[index];
  return item ? remove(text, list, item) : text;
}

function setMembers(text: string, path: JsonPath, node: Node, value: JsonObject): string {
  const removed = membersOf(node).filter(({ key }) => !Object.hasOwn(value, key));
  const without = removed.reduce((rest, { key }) => removeIn(rest, [...path, key]), text);
  return Object.entries(value).reduce(
    (rest, [key, part]) => (part === undefined ? rest : setIn(rest, [...path, key], part)),
    without,
  );
}

function hasDuplicateKeys(node: Node): boolean {
  const keys = membersOf(node).map(({ key }) => key);
  return new Set(keys).size < keys.length;
}

function replace(text: string, node: Node, value: Json): string {
  const old = text.slice(node.offset, endOf(node));
  const inOneLine = node.children?.length ? !hasEol(old) : !hasEol(text.trim());
  const printed = inOneLine
    ? formatSingleLine(value)
    : formatMultiLine(value, indentOf(text, node.offset), detectFormat(text));
  return text.slice(0, node.offset) + printed + text.slice(endOf(node));
}

/** Inserts the value as the last child, after existing comments. */
function insert(text: string, container: Node, value: Json, keyPrefix = ""): string {
  const children = container.children ?? [];
  const close = endOf(container) - 1;
  const last = children.at(-1);
  const from = last ? endOf(last) : container.offset + 1;
  const { comma, end } = scanGap(text, from, close);
  const rest = text.slice(end, close);
  let head = last ? " " : innerPadding(container);
  let tail = last ? rest : innerPadding(container);
  let printed = formatSingleLine(value);
  if (isMultiLine(text, container)) {
    const format = detectFormat(text);
    const outer = indentOf(text, container.offset);
    const inner = childIndent(text, children) ?? outer + format.indentUnit;
    head = format.eol + inner;
    tail = last || hasEol(rest) ? rest : format.eol + outer;
    printed = formatMultiLine(value, inner, format);
  }
  const separator = last && comma === undefined ? "," : "";
  // Keeps the style of a list that ends with a comma.
  const trailing = comma === undefined ? "" : ",";
  const added = head + keyPrefix + printed + trailing + tail;
  return text.slice(0, from) + separator + text.slice(from, end) + added + text.slice(close);
}

/** Removes a child with its comma, and the line if nothing else is on it. */
function remove(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const at = children.indexOf(child);
  const next = children[at + 1];
  const after = scanGap(text, endOf(child), next?.offset ?? endOf(container) - 1).comma;
  const previous = children[at - 1];
  const own = after === endOf(child) ? after + 1 : endOf(child);
  const comma = after ?? (previous && scanGap(text, endOf(previous), child.offset).comma);
  const cuts = [withSurroundingSpace(text, child.offset, own)];
  if (comma !== undefined && comma !== after) cuts.unshift([comma, comma + 1]);
  else if (comma !== undefined && comma >= own) cuts.push([comma, comma + 1]);
  return cuts.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

/** Extends a range by the spaces that would be left over: after it if it starts its line, otherwise before it. */
function withSurroundingSpace(text: string, from: number, to: number): [number, number] {
  const begin = startOfLine(text, from);
  if (text.slice(begin, from).trim() !== "") {
    const spaces = /[ \t]*$/.exec(text.slice(0, from))![0].length;
    return [from - spaces, to];
  }
  const spaces = /^[ \t]*/.exec(text.slice(to))![0].length;
  const eol = /^(?:\r\n|\n|\r)/.exec(text.slice(to + spaces));
  return eol ? [begin, to + spaces + eol[0].length] : [from, to + spaces];
}

/** Finds the comma and the end of the last comment between two children. */
function scanGap(text: string, from: number, to: number): { readonly comma: number | undefined; readonly end: number } {
  let comma: number | undefined;
  let end = from;
  for (const { 0: token, index } of text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\/|,/g)) {
    end = from + index + token.length;
    if (token === ",") comma = from + index;
  }
  return { comma, end };
}

function isMultiLine(text: string, container: Node): boolean {
  const first = container.children?.[0];
  if (!first) return hasEol(text.trim()) || container.parent === undefined;
  const end = endOf(container.children.at(-1)!);
  return hasEol(text.slice(container.offset, first.offset)) || hasEol(text.slice(end, endOf(container)));
}

/** Returns the indentation of the last child that starts a line. */
function childIndent(text: string, children: readonly Node[]): string | undefined {
  const lineStarter = children.findLast(({ offset }) => text.slice(startOfLine(text, offset), offset).trim() === "");
  return lineStarter && text.slice(startOfLine(text, lineStarter.offset), lineStarter.offset);
}

function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))![0];
}

function startOfLine(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}

function innerPadding(container: Node): string {
  return container.type === "object" ? " " : "";
}

function hasEol(text: string): boolean {
  return /[\r\n]/.test(text);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}
