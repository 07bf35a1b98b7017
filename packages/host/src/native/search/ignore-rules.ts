/** The rules of .gitignore files. A file applies to its folder and to everything below it. Pure. */
import { parsePlainGlob } from "./path-glob.ts";
import type { PathGlob } from "./path-glob.ts";

interface IgnoreRule {
  readonly glob: PathGlob;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

const MAX_RULES = 2000;

export class IgnoreRules {
  readonly #rules: readonly IgnoreRule[];
  /** How many folders deep the .gitignore file is in the workspace. Its patterns are relative to its folder. */
  readonly #depth: number;
  readonly #parent: IgnoreRules | undefined;

  private constructor(rules: readonly IgnoreRule[], depth: number, parent: IgnoreRules | undefined) {
    this.#rules = rules;
    this.#depth = depth;
    this.#parent = parent;
  }

  /** Ignores the folders that hardly ever contain what a model looks for. A .gitignore file can include them again. */
  static readonly defaults = new IgnoreRules(parseRules(".git/\nnode_modules/"), 0, undefined);

  /** Returns the rules for a folder with a .gitignore file: these rules, and the rules of that file. */
  below(text: string, depth: number): IgnoreRules {
    return new IgnoreRules(parseRules(text), depth, this);
  }

  /** Takes the names from the workspace to a file or folder. The last matching rule of the nearest file decides. */
  ignores(names: readonly string[], isFolder: boolean): boolean {
    const relative = names.slice(this.#depth);
    const rule = this.#rules.findLast(({ glob, foldersOnly }) => (isFolder || !foldersOnly) && glob.matches(relative));
    return rule ? !rule.negated : (this.#parent?.ignores(names, isFolder) ?? false);
  }
}

function parseRules(text: string): IgnoreRule[] {
  return text
    .split("\n", MAX_RULES)
    .map((line) => line.replace(/\r$/, "").replace(/(?<!\\) +$/, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(parseRule);
}

function parseRule(line: string): IgnoreRule {
  const negated = line.startsWith("!");
  const pattern = negated ? line.slice(1) : line;
  const foldersOnly = pattern.endsWith("/");
  return { glob: parsePlainGlob(foldersOnly ? pattern.slice(0, -1) : pattern), negated, foldersOnly };
}
