/** All tools of the conformance fixture. Some scenarios call the first tool of the list, so it takes no arguments. */
import { askingTools } from "./asking-tools.ts";
import { changes } from "./changes.ts";
import { conformanceTool, textReply } from "./conformance-tool.ts";
import type { ConformanceTool } from "./conformance-tool.ts";
import { contentTools } from "./content-tools.ts";

const CHANGING_TOOL = "test_changing_tool";

export const TOOLS: ReadonlyMap<string, ConformanceTool> = new Map(
  Object.entries({
    ...contentTools,
    ...askingTools,
    [CHANGING_TOOL]: conformanceTool("Comes and goes", () => textReply("I am here for now")),
  }),
);

export function listTools() {
  return [...TOOLS]
    .filter(([name]) => name !== CHANGING_TOOL || changes.tool)
    .map(([name, { description, inputSchema }]) => ({ name, description, inputSchema }));
}
