/** Shows how the text of a client's file changes. Masks all values except those that Plugboard writes itself. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { DiffLine, Json } from "@plugboard/contracts";
import { MASK } from "../redaction/mask-references.ts";
import type { Syntax } from "../clients/syntax/parse-document.ts";
import { maskLine } from "./mask-line.ts";

const CONTEXT_LINES = 3;

/** `shown` are entries whose values are shown, except those of headers. */
export function diffFile(
  before: string | undefined,
  after: string | undefined,
  syntax: Syntax,
  shown: readonly (Json | undefined)[],
): DiffLine[] {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const same = (from: number) => oldLines.at(from) !== undefined && oldLines.at(from) === newLines.at(from);
  const shortest = Math.min(oldLines.length, newLines.length);
  let start = 0;
  while (start < shortest && same(start)) start++;
  let end = 0;
  while (end < shortest - start && same(-1 - end)) end++;
  if (start === oldLines.length && start === newLines.length) return [];
  const texts = new Set(shown.flatMap((entry) => shownTexts(entry)));
  const toLines = (kind: DiffLine["kind"], lines: readonly string[]) =>
    lines.map((line) => ({ kind, text: maskLine(line, syntax, texts) }));
  return [
    ...toLines("context", oldLines.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...toLines("removed", oldLines.slice(start, oldLines.length - end)),
    ...toLines("added", newLines.slice(start, newLines.length - end)),
    ...toLines("context", end === 0 ? [] : oldLines.slice(-end).slice(0, CONTEXT_LINES)),
  ];
}

/** Masks the values of headers. */
export function maskHeaders(entry: Json | undefined): Json | undefined {
  if (!isJsonObject(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      const isSecret = /headers$/i.test(key) && isJsonObject(value);
      return [key, isSecret ? Object.fromEntries(Object.keys(value).map((name) => [name, MASK])) : value];
    }),
  );
}

/** Includes the values of variables, which are paths in Plugboard's own entry. */
function shownTexts(entry: Json | undefined): string[] {
  const masked = maskHeaders(entry);
  const collect = (value: Json | undefined): string[] => {
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.flatMap(collect);
    return isJsonObject(value) ? Object.values(value).flatMap(collect) : [];
  };
  return collect(masked);
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
