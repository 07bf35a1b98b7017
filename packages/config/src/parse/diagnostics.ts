/**
 * Collects the problems of one config file with their positions, up to a limit. Some problems reject the whole file:
 * `throwIfRejected` throws CONFIG_INVALID with all of them.
 */
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { groupByKey, membersOf } from "./members.ts";
import type { Position } from "./parse-config-text.ts";

type OtherProblem = NonNullable<HostError<"CONFIG_INVALID">["details"]["others"]>[number];

const MAX_PROBLEMS = 100;
const MAX_UNKNOWN_KEYS = 1000;
const MAX_LISTED_LINES = 10;

export class Diagnostics {
  readonly #problems: ConfigProblem[] = [];
  #overflow: { severity: ConfigProblem["severity"]; count: number } = { severity: "warning", count: 0 };
  readonly #rejections: (Partial<Position> & { readonly reason: string })[] = [];
  #unknownKeys = 0;
  readonly file: string;
  readonly #positionOf: (node: Node) => Position | undefined;

  /** `positionOf` returns undefined for config that is in no file. */
  constructor(file: string, positionOf: (node: Node) => Position | undefined) {
    this.file = file;
    this.#positionOf = positionOf;
  }

  get problems(): ConfigProblem[] {
    const { severity, count } = this.#overflow;
    if (count === 0) return this.#problems;
    return [...this.#problems, { severity, file: this.file, message: `and ${count} more problems` }];
  }

  report(severity: ConfigProblem["severity"], node: Node, message: string, server?: string): void {
    if (this.#problems.length === MAX_PROBLEMS) {
      const worst = severity === "error" ? severity : this.#overflow.severity;
      this.#overflow = { severity: worst, count: this.#overflow.count + 1 };
      return;
    }
    const position = this.#positionOf(node);
    this.#problems.push({ severity, file: this.file, ...position, message, ...(server !== undefined && { server }) });
  }

  /** Reports a key that is ignored in a project's file. */
  warnIgnoredInProject(keyNode: Node, key: string): void {
    const message = `"${key}" is ignored in a project's file; to use it, add it to your own config file`;
    this.report("warning", keyNode, message);
  }

  /** Records a problem that rejects the whole file. Reading goes on, to find more problems. */
  reject(place: Node | Position, reason: string): void {
    const position = "line" in place ? place : this.#positionOf(place);
    if (this.#rejections.length < MAX_PROBLEMS) this.#rejections.push({ ...position, reason });
  }

  /** Throws CONFIG_INVALID if the file was rejected. The error also has the other problems. */
  throwIfRejected(): void {
    const [first, ...rejections] = this.#rejections.toSorted(byPosition);
    if (!first) return;
    const others = [...rejections, ...this.#problems.map(toOtherProblem)].toSorted(byPosition);
    throw new HostError("CONFIG_INVALID", { file: this.file, ...first, ...(others.length > 0 && { others }) });
  }

  configError(place: Node | Position, reason: string): HostError {
    const position = "line" in place ? place : this.#positionOf(place);
    return new HostError("CONFIG_INVALID", { file: this.file, ...position, reason });
  }

  /** Throws if there are too many unknown keys, because finding a suggestion for each takes time. */
  countUnknownKey(keyNode: Node): void {
    if (++this.#unknownKeys > MAX_UNKNOWN_KEYS)
      throw this.configError(keyNode, `it has more than ${MAX_UNKNOWN_KEYS} unknown keys`);
  }

  /** Returns a message such as `"x" is defined twice, on lines 2 and 5`. */
  duplicateMessage(subject: string, nodes: readonly Node[]): string {
    const lines = [...new Set(nodes.map((node) => this.#positionOf(node)?.line ?? 0))];
    const times = nodes.length === 2 ? "twice" : `${nodes.length} times`;
    const last = lines.length > MAX_LISTED_LINES ? "more" : lines.pop();
    lines.splice(MAX_LISTED_LINES);
    const where = lines.length === 0 ? `line ${last}` : `lines ${lines.join(", ")} and ${last}`;
    return `${subject} is defined ${times}, on ${where}`;
  }

  /** Rejects the file if one of the keys occurs twice, because it is unclear which one applies. */
  rejectDuplicates(node: Node, keys: readonly string[]): void {
    for (const [key, duplicates] of groupByKey(membersOf(node))) {
      if (duplicates.length === 1 || !keys.includes(key)) continue;
      const nodes = duplicates.map(({ keyNode }) => keyNode);
      this.reject(nodes[1]!, this.duplicateMessage(`"${key}"`, nodes));
    }
  }
}

function toOtherProblem({ severity, line, column, server, message }: ConfigProblem): OtherProblem {
  return {
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    reason: server === undefined ? message : `"${server}": ${message}`,
    ...(severity === "warning" && { severity }),
  };
}

function byPosition(one: Partial<Position>, other: Partial<Position>): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

/** Returns a message such as `unknown key "comand"; did you mean "command"?`. */
export function unknownKeyMessage(key: string, suggestion: string | undefined): string {
  return `unknown key ${quoteJson(key)}${didYouMean(suggestion)}`;
}

const MAX_QUOTED_CHARS = 100;

/** Formats a value as JSON and truncates it. */
export function quoteJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length <= MAX_QUOTED_CHARS ? json : `${json.slice(0, MAX_QUOTED_CHARS)}… (${json.length} characters)`;
}

export function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
}
