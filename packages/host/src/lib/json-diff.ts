/**
 * Lists the differences between two definitions for a person to review. Shallow differences come first, so that
 * many small changes can't hide a tool's new description. The number and length of the changes are limited.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { DefinitionChange, Json, JsonObject, Tool } from "@plugboard/contracts";

const MAX_CHANGES = 100;
const MAX_TEXT_CHARS = 2000;
/** The number of equal characters that are shown before the first difference of a long string. */
const CONTEXT_CHARS = 200;
const MAX_PATH_CHARS = 500;

export function diffTools(before: Tool, after: Tool): DefinitionChange[] {
  return diffJson(before as object as JsonObject, after as object as JsonObject);
}

interface Pair {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Reports each changed value separately, also inside an added or removed object. */
export function diffJson(before: JsonObject, after: JsonObject): DefinitionChange[] {
  const changes: DefinitionChange[] = [];
  const pairs: Pair[] = [{ path: "", before, after }];
  // Uses a queue instead of recursion, because a server decides how deep its definitions are.
  for (const pair of pairs) {
    const inner = childPairs(pair);
    if (inner) {
      for (const part of inner) pairs.push(part);
    } else if (pair.before !== pair.after) {
      if (changes.length === MAX_CHANGES) return [...changes.slice(0, -1), { path: "…", after: "and more" }];
      changes.push(changeOf(pair));
    }
  }
  return changes;
}

/** Returns the pairs of children to compare, or undefined if both are single values. */
function childPairs({ path, before, after }: Pair): Pair[] | undefined {
  const [wasList, isList] = [Array.isArray(before), Array.isArray(after)];
  const [beforeHasChildren, afterHasChildren] = [isContainer(before), isContainer(after)];
  if (!beforeHasChildren && !afterHasChildren) return undefined;
  const isSameType = beforeHasChildren === afterHasChildren && wasList === isList;
  if (before !== undefined && after !== undefined && !isSameType) {
    // If the type has changed, the old value is reported as removed and the new value as added.
    return [
      { path, before, after: undefined },
      { path, before: undefined, after },
    ];
  }
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  // An added or removed empty container is a single value.
  if (keys.size === 0 && (before === undefined || after === undefined)) return undefined;
  return [...keys].map((key) => {
    const childPath = pathTo(path, key, wasList || isList);
    return { path: childPath, before: childOf(before, key), after: childOf(after, key) };
  });
}

function isContainer(value: Json | undefined): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function pathTo(path: string, key: string, isList: boolean): string {
  const needsNoQuotes = /^[\w$-]{1,100}$/.test(key);
  const step = isList ? `[${key}]` : needsNoQuotes ? `.${key}` : `[${JSON.stringify(key)}]`;
  const fullPath = path === "" ? step.replace(/^\./, "") : path + step;
  return fullPath.length > MAX_PATH_CHARS ? `${fullPath.slice(0, MAX_PATH_CHARS - 1)}…` : fullPath;
}

function changeOf({ path, before, after }: Pair): DefinitionChange {
  return {
    path,
    ...(before !== undefined && { before: excerpt(before, after) }),
    ...(after !== undefined && { after: excerpt(after, before) }),
  };
}

/** Shortens a long string: it begins shortly before the first difference from the other value. */
function excerpt(value: Json, other: Json | undefined): Json {
  if (typeof value !== "string" || value.length <= MAX_TEXT_CHARS) return value;
  const from = typeof other === "string" ? Math.max(0, firstDifference(value, other) - CONTEXT_CHARS) : 0;
  const to = from + MAX_TEXT_CHARS;
  return `${from > 0 ? "…" : ""}${value.slice(from, to)}${to < value.length ? "…" : ""}`;
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}
