/** What the search thread is asked to do, and what it reports. */
import type { WalkOptions } from "./walk-files.ts";

export type SearchJob = GlobJob | GrepJob;

export interface GlobJob extends WalkOptions {
  readonly type: "glob";
  readonly pattern: string;
}

export interface GrepJob extends WalkOptions {
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
