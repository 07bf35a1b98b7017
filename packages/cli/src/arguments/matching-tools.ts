/** Finds the tools that the words of a command line name. Pure. */
import type { OfferedTool } from "@plugboard/contracts";
import type { ToolCandidate } from "./parse-tool-words.ts";

/** Returns the tools that a candidate names, by the tool's own name or by its name as models see it. */
export function matchingTools(candidates: readonly ToolCandidate[], tools: readonly OfferedTool[]): OfferedTool[] {
  return tools.filter(({ server, tool, name }) =>
    candidates.some((candidate) =>
      candidate.server === undefined
        ? candidate.tool === tool || candidate.tool === name
        : candidate.server === server && candidate.tool === tool,
    ),
  );
}
