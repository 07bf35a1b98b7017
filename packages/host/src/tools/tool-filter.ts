/** Which of a server's tools are offered, as its definition says. */
import { parseGlob } from "../lib/glob.ts";

export interface ToolFilter {
  /** Patterns of names; without any, all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether the server's tools are all withheld for now. */
  readonly hidden?: boolean;
}

/** Says of a tool's name whether it is excluded. */
export function compileExcluded({ include, exclude = [] }: ToolFilter): (tool: string) => boolean {
  const included = include?.map(parseGlob);
  const excluded = exclude.map(parseGlob);
  return (tool) =>
    excluded.some((glob) => glob.matches(tool)) ||
    (included !== undefined && !included.some((glob) => glob.matches(tool)));
}
