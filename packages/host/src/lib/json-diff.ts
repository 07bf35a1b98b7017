/**
 * Lists the differences between two definitions for a person to review. Shallow differences come first, so that
 * many small changes can't hide a tool's new description. The number and length of the changes are limited.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { DefinitionChange, Json, JsonObject, Tool } from "@plugboard/contracts";

const MAX_CHANGES = 100;
const MAX_TEXT = 2000;
/** The number of equal characters that are shown before the first difference of a long string. */
const CONTEXT_CHARS = 200;
const MAX_PATH = 500;

export function diffTools(before: Tool, after: Tool): DefinitionChange[] {
  return diffJson(before as object as JsonObject, after as object as JsonObject);
}

interface Pair {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Compares down to single values. Lists an added or removed object value by value. */
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
  const [was, is] = [isContainer(before), isContainer(after)];
  if (!was && !is) return undefined;
  if (before !== undefined && after !== undefined && (was !== is || wasList !== isList)) {
    return [
      { path, before, after: undefined },
      { path, before: undefined, after },
    ];
  }
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  // An added or removed empty container is a single value.
  if (keys.size === 0 && (before === undefined || after === undefined)) return undefined;
  return [...keys].map((key) => {
    const at = pathTo(path, key, wasList || isList);
    return { path: at, before: childOf(before, key), after: childOf(after, key) };
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
  const plain = /^[\w$-]{1,100}$/.test(key);
  const step = isList ? `[${key}]` : plain ? `.${key}` : `[${JSON.stringify(key)}]`;
  const whole = path === "" ? step.replace(/^\./, "") : path + step;
  return whole.length > MAX_PATH ? `${whole.slice(0, MAX_PATH - 1)}…` : whole;
}

function changeOf({ path, before, after }: Pair): DefinitionChange {
  return {
    path,
    ...(before !== undefined && { before: excerpt(before, after) }),
    ...(after !== undefined && { after: excerpt(after, before) }),
  };
}

function excerpt(value: Json, other: Json | undefined): Json {
  if (typeof value !== "string" || value.length <= MAX_TEXT) return value;
  const from = typeof other === "string" ? Math.max(0, firstDifference(value, other) - CONTEXT_CHARS) : 0;
  const to = from + MAX_TEXT;
  return `${from > 0 ? "…" : ""}${value.slice(from, to)}${to < value.length ? "…" : ""}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
