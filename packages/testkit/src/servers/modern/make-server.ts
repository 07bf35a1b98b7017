/**
 * Builds the modern fixture's server from its tools. On the low-level `Server`: the package's `McpServer` turns
 * every exception of a tool into an `isError` result, and the `throw` tool must end in a protocol error.
 */
import { ProtocolError, ProtocolErrorCode, Server, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { askingTools } from "./asking-tools.ts";
import { plainTools } from "./plain-tools.ts";
import type { FixtureTool } from "./tool.ts";

const tools = new Map<string, FixtureTool>(Object.entries({ ...plainTools, ...askingTools }));

export function makeServer(): Server {
  const server = new Server({ name: "modern-fixture", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [...tools].map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: z.toJSONSchema(inputSchema) as Tool["inputSchema"],
    })),
  }));
  server.setRequestHandler("tools/call", (request, ctx) => {
    const tool = tools.get(request.params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${request.params.name}`);
    return tool.run(request.params.arguments ?? {}, ctx);
  });
  return server;
}
