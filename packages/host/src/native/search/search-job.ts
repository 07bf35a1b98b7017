/** The jobs of the search thread, and their reports. */
import type { RuleText } from "./read-rule-texts.ts";
import type { WalkOptions } from "./walk-files.ts";

export type SearchJob = GlobJob | GrepJob;

/** Where to search, and which files may be read. */
export interface SearchScope extends WalkOptions {
  /** The folder or file to search, as the model wrote it. */
  readonly given: string;
  /** The rules for `read_file`. */
  readonly rules: readonly RuleText[];
}

export interface GlobJob extends SearchScope {
  readonly type: "glob";
  readonly pattern: string;
}

export interface GrepJob extends SearchScope {
  readonly type: "grep";
  /** The source of a regular expression, or plain text with `literal`. */
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** The number of lines before and after each match. */
  readonly context: number;
  /** A pattern for the paths of the files to search. */
  readonly include: string | undefined;
}

export type SearchReport =
  /** Found lines, or paths. */
  | { readonly lines: readonly string[] }
  /** The search has ended. `notes` say what was left out. */
  | { readonly notes: readonly string[] }
  | { readonly problem: string };
