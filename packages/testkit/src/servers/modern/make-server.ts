/**
 * Builds the server of the modern fixture. Uses the low-level `Server`, because `McpServer` turns every exception into
 * an `isError` result, and the `throw` tool must cause a protocol error.
 */
import { ProtocolError, ProtocolErrorCode, Server, type ServerNotifier, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { inputRequiredTools } from "./input-required-tools.ts";
import { addedTools, additionTools } from "./additions.ts";
import { basicTools } from "./basic-tools.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import { contentTools } from "./content-tools.ts";
import type { FixtureTool } from "./fixture-tool.ts";

/** `makeNotifier` returns the object that sends change notifications. */
export function makeServer(makeNotifier: (server: Server) => ServerNotifier): Server {
  const server = new Server(
    { name: "modern-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: "Good for trying out",
    },
  );
  const fixedTools = { ...basicTools, ...contentTools, ...inputRequiredTools, ...additionTools(makeNotifier(server)) };
  const tools = () => new Map<string, FixtureTool>(Object.entries({ ...addedTools(), ...fixedTools }));
  server.setRequestHandler("tools/list", () => ({ tools: [...tools()].map(describeTool) }));
  server.setRequestHandler("tools/call", (request, ctx) => {
    const tool = tools().get(request.params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${request.params.name}`);
    return tool.run(request.params.arguments ?? {}, ctx);
  });
  offerResources(server);
  offerPrompts(server);
  return server;
}

function describeTool([name, { description, inputSchema, outputSchema }]: [string, FixtureTool]): Tool {
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(inputSchema) as Tool["inputSchema"],
    ...(outputSchema && { outputSchema: z.toJSONSchema(outputSchema) }),
  };
}
