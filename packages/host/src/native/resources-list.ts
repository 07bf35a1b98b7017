import type { ServerResources } from "../catalog/server-resources.ts";
import { resultOrError, optionalString } from "./native-result.ts";
import { READ_ONLY_ANNOTATIONS } from "./read-only-annotations.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { paginateItems } from "./paginate-items.ts";

/** Families of resources come after the single ones, in the same list: a model needs both to know what it can read. */
export function resourcesList(resources: Pick<ServerResources, "list" | "templates">): NativeTool {
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
    annotations: READ_ONLY_ANNOTATIONS,
    run: (args, { signal }) =>
      resultOrError(async () => {
        const [server, cursor] = [optionalString(args, "server"), optionalString(args, "cursor")];
        const [single, families] = await Promise.all([
          resources.list({ server, signal }),
          resources.templates({ server, signal }),
        ]);
        const errors = { ...families.errors, ...single.errors };
        return paginateItems("resources", [...single.resources, ...families.templates], { errors }, cursor);
      }),
  };
}
