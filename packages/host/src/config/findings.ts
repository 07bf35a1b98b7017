/**
 * What is wrong with one file, always with its place. A problem is told, up to a number that a person reads; a
 * refusal ends the reading of the file.
 */
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { grouped, members } from "./config-text.ts";
import type { Place } from "./config-text.ts";

const MOST_PROBLEMS = 100;
const MOST_UNKNOWN = 1000;
const MOST_LINES = 10;

export class Findings {
  readonly #problems: ConfigProblem[] = [];
  #more: { severity: ConfigProblem["severity"]; count: number } = { severity: "warning", count: 0 };
  #unknown = 0;
  readonly file: string;
  readonly #placeOf: (node: Node) => Place | undefined;

  /** What no file holds has no places. */
  constructor(file: string, placeOf: (node: Node) => Place | undefined) {
    this.file = file;
    this.#placeOf = placeOf;
  }

  get problems(): ConfigProblem[] {
    const { severity, count } = this.#more;
    if (count === 0) return this.#problems;
    return [...this.#problems, { severity, file: this.file, message: `and ${count} more problems` }];
  }

  problem(severity: ConfigProblem["severity"], node: Node, message: string, server?: string): void {
    if (this.#problems.length === MOST_PROBLEMS) {
      const worst = severity === "error" ? severity : this.#more.severity;
      this.#more = { severity: worst, count: this.#more.count + 1 };
      return;
    }
    const place = this.#placeOf(node);
    this.#problems.push({ severity, file: this.file, ...place, message, ...(server !== undefined && { server }) });
  }

  /** A project's file, which may come from anybody, has said what only the user may say. */
  notFromProject(at: Node, key: string): void {
    const what = `"${key}" is not taken from a project's file; write it into your own config file if you want it`;
    this.problem("warning", at, what);
  }

  refusal(at: Node | Place, what: string): HostError {
    const place = "line" in at ? at : this.#placeOf(at);
    return new HostError("CONFIG_INVALID", { file: this.file, ...place, what });
  }

  /** To look for what each of them was meant to be takes its time, and what so many keys mean is not for us to guess. */
  unknownKey(at: Node): void {
    if (++this.#unknown > MOST_UNKNOWN)
      throw this.refusal(at, `it has more than ${MOST_UNKNOWN} keys that are not known`);
  }

  /** `"x" is defined twice, on lines 2 and 5` */
  repetition(what: string, nodes: readonly Node[]): string {
    const lines = [...new Set(nodes.map((node) => this.#placeOf(node)?.line ?? 0))];
    const times = nodes.length === 2 ? "twice" : `${nodes.length} times`;
    const last = lines.length > MOST_LINES ? "more" : lines.pop();
    lines.splice(MOST_LINES);
    const where = lines.length === 0 ? `line ${last}` : `lines ${lines.join(", ")} and ${last}`;
    return `${what} is defined ${times}, on ${where}`;
  }

  /** Which of two is meant can't be told, so a section must not come twice. */
  refuseRepeated(node: Node, keys: readonly string[]): void {
    for (const [key, twins] of grouped(members(node))) {
      if (twins.length === 1 || !keys.includes(key)) continue;
      const nodes = twins.map(({ at }) => at);
      throw this.refusal(nodes[1]!, this.repetition(`"${key}"`, nodes));
    }
  }
}

/** `"comand" is not known; did you mean "command"?` */
export function notKnown(key: string, near: string | undefined): string {
  return `${quote(key)} is not known${didYouMean(near)}`;
}

const MOST_QUOTED = 100;

/** As JSON, and no more of it than a person reads. */
export function quote(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length <= MOST_QUOTED ? json : `${json.slice(0, MOST_QUOTED)}… (${json.length} characters)`;
}

export function didYouMean(near: string | undefined): string {
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
