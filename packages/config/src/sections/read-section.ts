/** Validates a section of a config file by the rows of `section-keys.ts`, and converts its keys to camelCase. */
import type { Node } from "jsonc-parser";
import { isJsonObject, nearest } from "@plugboard/contracts";
import { toCamelCase } from "../lib/key-case.ts";
import { quoteJson, unknownKeyMessage } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { findMember, groupByKey, membersOf, nodeValue } from "../parse/members.ts";
import type { SectionKeys, SectionRow, SectionValue } from "./section-keys.ts";
import { VALUE_TYPES } from "./section-values.ts";

export interface SectionIssue {
  readonly node: Node;
  readonly message: string;
}

/** Returns the first mistake, because a section with a mistake is not used at all. `path` leads to the object. */
export function findIssue(
  node: Node,
  keys: SectionKeys,
  diagnostics: Diagnostics,
  path: readonly string[] = [],
): SectionIssue | undefined {
  if (node.type !== "object") return { node, message: `${subject(path)} must be an object` };
  const issue = findInvalidKey(node, Object.keys(keys), diagnostics);
  if (issue) return issue;
  for (const [key, row] of Object.entries(keys)) {
    const found = findRowIssue(node, findMember(node, key)?.valueNode, row, diagnostics, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** Converts the value of a section in which `findIssue` has found nothing. */
export function toSection<Keys extends SectionKeys>(value: unknown, keys: Keys): SectionValue<Keys> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  const converted = entries.map(([key, field]) => [toCamelCase(key), toRowValue(field, keys[key]!)]);
  return Object.fromEntries(converted) as SectionValue<Keys>;
}

function toRowValue(value: unknown, { type, keys = {} }: SectionRow): unknown {
  if (type === "object") return toSection(value, keys);
  if (type === "texts") return typeof value === "string" ? [value] : value;
  if (type !== "map" || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toSection(item, keys)]));
}

function findRowIssue(
  parent: Node,
  node: Node | undefined,
  row: SectionRow,
  diagnostics: Diagnostics,
  path: readonly string[],
): SectionIssue | undefined {
  const { type, keys = {}, names, required } = row;
  if (!node && !required) return undefined;
  if (type === "object") return findIssue(node ?? parent, keys, diagnostics, path);
  if (type === "map") return node && findMapIssue(node, { keys, names }, diagnostics, path);
  const { explain, explainItem } = VALUE_TYPES[type];
  const reason = explain(node && nodeValue(node));
  if (reason !== undefined) return { node: node ?? parent, message: `${subject(path)} ${reason}` };
  for (const item of explainItem ? (node?.children ?? []) : []) {
    const problem = explainItem?.(nodeValue(item));
    if (problem !== undefined) {
      return { node: item, message: `${quoteJson(nodeValue(item))} in ${subject(path)} ${problem}` };
    }
  }
  return undefined;
}

function findMapIssue(
  node: Node,
  { keys, names }: { readonly keys: SectionKeys; readonly names: SectionRow["names"] },
  diagnostics: Diagnostics,
  path: readonly string[],
): SectionIssue | undefined {
  if (node.type !== "object") return { node, message: `${subject(path)} must be an object` };
  const pattern = new RegExp(names?.pattern ?? "");
  for (const { key, keyNode, valueNode } of membersOf(node)) {
    if (!pattern.test(key)) {
      return { node: keyNode, message: `${subject([...path, key])}: the name must be letters, digits or . _ -` };
    }
    const issue = findIssue(valueNode, keys, diagnostics, [...path, key]);
    if (issue) return issue;
  }
  return undefined;
}

/** Rejects unknown keys, because a misspelt key could show more tools, or accept more tokens, than the user wants. */
function findInvalidKey(node: Node, known: readonly string[], diagnostics: Diagnostics): SectionIssue | undefined {
  for (const [key, duplicates] of groupByKey(membersOf(node))) {
    const [{ keyNode }] = duplicates;
    if (!known.includes(key)) return { node: keyNode, message: unknownKeyMessage(key, nearest(key, known)) };
    if (duplicates.length > 1) {
      const nodes = duplicates.map((duplicate) => duplicate.keyNode);
      return { node: keyNode, message: diagnostics.duplicateMessage(`"${key}"`, nodes) };
    }
  }
  return undefined;
}

function subject(path: readonly string[]): string {
  return path.length === 0 ? "it" : `"${path.join(".")}"`;
}
