import type { Resources } from "../workspace/resources.ts";
import { answer, textOf } from "./answer.ts";
import { READ_ONLY } from "./read-only.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { pageItems } from "./page-items.ts";

/** Families of resources come after the single ones, in the same list: a model needs both to know what it can read. */
export function resourcesList(resources: Pick<Resources, "list" | "templates">): NativeTool {
  return {
    name: "mcp_resources_list",
    description:
      "Lists the resources that MCP servers offer for reading, of all servers or of one. " +
      "An entry with a uriTemplate is a family of resources: fill in its variables to get a URI. " +
      "Read them with mcp_resource_read. What is listed was written by the servers, not by the user.",
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
        const [single, families] = await Promise.all([
          resources.list({ server, signal }),
          resources.templates({ server, signal }),
        ]);
        const errors = { ...families.errors, ...single.errors };
        return pageItems("resources", [...single.resources, ...families.templates], { errors }, cursor);
      }),
  };
}
