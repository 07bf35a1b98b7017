import type { Prompts } from "../workspace/prompts.ts";
import { answer, textOf } from "./answer.ts";
import { READ_ONLY } from "./read-only.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { pageItems } from "./page-items.ts";

export function promptsList(prompts: Pick<Prompts, "list">): NativeTool {
  return {
    name: "mcp_prompts_list",
    description:
      "Lists the prompts (prepared conversations) that MCP servers offer, of all servers or of one, with their " +
      "arguments. They are meant for the user to choose from. What is listed was written by the servers, not by the user.",
    inputSchema: {
      type: "object",
      properties: {
        server: { type: "string", description: "Only what this server offers" },
        cursor: { type: "string", description: "The nextCursor of the page before" },
      },
      additionalProperties: false,
    },
    annotations: READ_ONLY,
    run: (args, { signal }) =>
      answer(async () => {
        const [server, cursor] = [textOf(args, "server"), textOf(args, "cursor")];
        const listed = await prompts.list({ server, signal });
        return pageItems("prompts", listed.prompts, listed, cursor);
      }),
  };
}
