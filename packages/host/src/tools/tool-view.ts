/** Which of a server's tools are offered, as its definition says. */
import { parseGlob } from "../glob.ts";

export interface ToolView {
  /** Patterns of names; without any, all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether the server's tools are all withheld for now. */
  readonly hidden?: boolean;
}

/** Says of a tool's name whether it is excluded. */
export function compileView({ include, exclude = [] }: ToolView): (tool: string) => boolean {
  const wanted = include?.map(parseGlob);
  const unwanted = exclude.map(parseGlob);
  return (tool) =>
    unwanted.some((glob) => glob.matches(tool)) || (wanted !== undefined && !wanted.some((glob) => glob.matches(tool)));
}
