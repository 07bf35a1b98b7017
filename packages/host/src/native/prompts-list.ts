import type { ServerPrompts } from "../catalog/server-prompts.ts";
import { resultOrError, optionalString } from "./native-result.ts";
import { READ_ONLY_ANNOTATIONS } from "./read-only-annotations.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { paginateItems } from "./paginate-items.ts";

export function promptsList(prompts: Pick<ServerPrompts, "list">): NativeTool {
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
    annotations: READ_ONLY_ANNOTATIONS,
    run: (args, { signal }) =>
      resultOrError(async () => {
        const [server, cursor] = [optionalString(args, "server"), optionalString(args, "cursor")];
        const listed = await prompts.list({ server, signal });
        return paginateItems("prompts", listed.prompts, listed, cursor);
      }),
  };
}
