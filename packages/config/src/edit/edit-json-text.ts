/**
 * Changes one part of a JSON text with comments. Keeps all other text: the other members, their order, and the comments
 * outside the changed part. Expects a text without syntax errors and without duplicate keys on the path.
 */
import type { Json, JsonObject } from "@plugboard/contracts";
import { isJsonObject } from "@plugboard/contracts";
import { parseTree } from "jsonc-parser";
import type { Node } from "jsonc-parser";
import { canonicalDigest } from "@plugboard/store";
import { findMember, membersOf, nodeValue } from "../parse/members.ts";
import { detectFormat, formatSingleLine, formatMultiLine } from "./format-json.ts";

export type JsonPath = readonly string[];

export function nodeAt(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return path.reduce<Node | undefined>((node, key) => findMember(node, key)?.valueNode, root);
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
  const kept = removed.reduce((rest, { key }) => removeIn(rest, [...path, key]), text);
  return Object.entries(value).reduce(
    (rest, [key, part]) => (part === undefined ? rest : setIn(rest, [...path, key], part)),
    kept,
  );
}

function hasDuplicateKeys(node: Node): boolean {
  const keys = membersOf(node).map(({ key }) => key);
  return new Set(keys).size < keys.length;
}

function replace(text: string, node: Node, value: Json): string {
  const old = text.slice(node.offset, endOf(node));
  // A value without children has no layout of its own, so the layout of the whole text decides.
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
  const contentEnd = last ? endOf(last) : container.offset + 1;
  const { comma, end: commentsEnd } = scanGap(text, contentEnd, close);
  const spaceBeforeClose = text.slice(commentsEnd, close);
  let before = last ? " " : innerPadding(container);
  let after = last ? spaceBeforeClose : innerPadding(container);
  let printed = formatSingleLine(value);
  if (isMultiLine(text, container)) {
    const format = detectFormat(text);
    const outer = indentOf(text, container.offset);
    const inner = childIndent(text, children) ?? outer + format.indentUnit;
    before = format.eol + inner;
    after = last || hasEol(spaceBeforeClose) ? spaceBeforeClose : format.eol + outer;
    printed = formatMultiLine(value, inner, format);
  }
  const separator = last && comma === undefined ? "," : "";
  // Keeps the style of a list that ends with a comma.
  const trailing = comma === undefined ? "" : ",";
  const added = before + keyPrefix + printed + trailing + after;
  return text.slice(0, contentEnd) + separator + text.slice(contentEnd, commentsEnd) + added + text.slice(close);
}

/** Removes a child with its comma, and the line if nothing else is on it. */
function remove(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const previous = children[index - 1];
  const next = children[index + 1];
  const commaAfter = scanGap(text, endOf(child), next?.offset ?? endOf(container) - 1).comma;
  const isCommaAdjacent = commaAfter === endOf(child);
  const cuts = [withSurroundingSpace(text, child.offset, isCommaAdjacent ? commaAfter + 1 : endOf(child))];
  if (commaAfter === undefined) {
    // The last child has no comma after it, so the comma before it is removed.
    const commaBefore = previous && scanGap(text, endOf(previous), child.offset).comma;
    if (commaBefore !== undefined) cuts.unshift([commaBefore, commaBefore + 1]);
  } else if (!isCommaAdjacent) {
    cuts.push([commaAfter, commaAfter + 1]);
  }
  // Cuts from the end, because each cut moves the text after it.
  return cuts.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

/**
 * Extends a range by the spaces that would be left over. If the range starts its line, these are the spaces after it,
 * and the whole line if nothing else is on it. Otherwise these are the spaces before it.
 */
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
