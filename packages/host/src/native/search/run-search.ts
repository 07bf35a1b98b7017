/** Finds files by name or by content. Yields found lines as it goes, and at last notes about what was left out. */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { parsePathGlob } from "./path-glob.ts";
import { readDecider } from "./read-rule-texts.ts";
import type { GlobJob, GrepJob, SearchJob, SearchReport } from "./search-job.ts";
import { OPEN_FILE, walkFiles } from "./walk-files.ts";

const MAX_PATHS = 1000;
const MAX_MATCHES = 500;
const MAX_LINE_CHARS = 400;
const MAX_FILES = 300_000;
const MAX_SEARCHED_BYTES = 10 * 1024 * 1024;

export function runSearch(job: SearchJob): Generator<SearchReport> {
  return job.type === "glob" ? runGlob(job) : runGrep(job);
}

function* runGlob(job: GlobJob): Generator<SearchReport> {
  const glob = parsePathGlob(job.pattern);
  const decideRead = readDecider(job);
  let [files, found] = [0, 0];
  for (const { names } of walkFiles(job)) {
    if (++files > MAX_FILES) return yield { notes: [tooManyFiles()] };
    if (!glob.matches(names.slice(job.start.length)) || decideRead(names) === "deny") continue;
    if (++found > MAX_PATHS) return yield { notes: [`Only the first ${MAX_PATHS} files are listed.`] };
    yield { lines: [names.join("/")] };
  }
  yield { notes: [] };
}

function* runGrep(job: GrepJob): Generator<SearchReport> {
  const expression = compilePattern(job);
  if (typeof expression === "string") return yield { problem: expression };
  const include = job.include === undefined ? undefined : parsePathGlob(job.include);
  const decideRead = readDecider(job);
  let [files, matches, tooLarge, asking] = [0, 0, 0, 0];
  const notes = () => [
    ...(tooLarge === 0 ? [] : [`${tooLarge} files over ${MAX_SEARCHED_BYTES} bytes were not searched.`]),
    ...(asking === 0 ? [] : [`${asking} files were not searched, because read_file asks the user about them.`]),
  ];
  for (const file of walkFiles(job)) {
    if (++files > MAX_FILES) return yield { notes: [...notes(), tooManyFiles()] };
    if (include && !include.matches(file.names.slice(job.start.length))) continue;
    const verdict = decideRead(file.names);
    if (verdict === "ask") asking++;
    if (verdict !== "allow") continue;
    const text = readText(file.path);
    if (text === "too large") tooLarge++;
    else if (text !== undefined) {
      const found = matchingLines(text.content, expression, MAX_MATCHES - matches);
      matches += found.length;
      if (found.length > 0) yield { lines: renderMatches(file.names.join("/"), text.content, found, job.context) };
    }
    if (matches >= MAX_MATCHES)
      return yield { notes: [...notes(), `Only the first ${MAX_MATCHES} matches are listed.`] };
  }
  yield { notes: notes() };
}

function compilePattern({ pattern, literal, ignoreCase }: GrepJob): RegExp | string {
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : pattern;
  try {
    return new RegExp(source, ignoreCase ? "i" : "");
  } catch (error) {
    return `The pattern is not a valid regular expression: ${(error as Error).message}`;
  }
}

/** Returns undefined for a binary file, or a file that can't be read. */
function readText(path: string): { readonly content: string } | "too large" | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, OPEN_FILE);
    const stats = fstatSync(descriptor);
    // Files of the kernel have no size, and some of them never end.
    if (!stats.isFile() || stats.size === 0) return undefined;
    if (stats.size > MAX_SEARCHED_BYTES) return "too large";
    const bytes = readFileSync(descriptor);
    return bytes.includes(0) ? undefined : { content: bytes.toString("utf8") };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns the indexes of the lines that match. */
function matchingLines(text: string, expression: RegExp, limit: number): number[] {
  const found: number[] = [];
  for (let [start, line] = [0, 0]; start <= text.length && found.length < limit; line++) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak < 0 ? text.length : lineBreak;
    if ((end > start || lineBreak >= 0) && expression.test(trimReturn(text.slice(start, end)))) found.push(line);
    start = lineBreak < 0 ? text.length + 1 : end + 1;
  }
  return found;
}

/** Writes `path:line:text` for a match, and `path-line-text` for a line of its context. */
function renderMatches(path: string, text: string, found: readonly number[], context: number): string[] {
  const lines = text.split("\n");
  const matched = new Set(found);
  const shown = new Set<number>();
  for (const index of found) {
    for (let line = Math.max(0, index - context); line <= Math.min(lines.length - 1, index + context); line++) {
      shown.add(line);
    }
  }
  return [...shown].map((index) => {
    const separator = matched.has(index) ? ":" : "-";
    return `${path}${separator}${index + 1}${separator}${shorten(trimReturn(lines[index]!))}`;
  });
}

function trimReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function shorten(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)}… (${line.length} characters)`;
}

function tooManyFiles(): string {
  return `The search stopped after ${MAX_FILES} files. Search in a smaller folder.`;
}
