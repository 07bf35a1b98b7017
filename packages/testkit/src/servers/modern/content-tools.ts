/** Tools of the modern fixture for all kinds of results, logs and headers. */
import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PIXEL } from "./pixel.ts";
import { type FixtureTool, textResult, fixtureTool } from "./fixture-tool.ts";

const measurementSchema = z.object({ celsius: z.number(), place: z.string() });

const measure: FixtureTool = {
  ...fixtureTool("Answers with structured content", { place: z.string() }, ({ place }) => {
    const structuredContent = measurementSchema.parse({ celsius: 21.5, place });
    return { ...textResult(JSON.stringify(structuredContent)), structuredContent };
  }),
  outputSchema: measurementSchema,
};

export const contentTools = {
  measure,
  all_content: fixtureTool("Answers with every kind of content", {}, () => ({
    content: [
      { type: "text", text: "look", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", mimeType: "image/png", data: PIXEL },
      { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
      { type: "resource_link", uri: "note://welcome", name: "welcome" },
      { type: "resource", resource: { uri: "note://embedded", text: "inside" } },
    ],
  })),
  log: fixtureTool("Logs at three levels", {}, async (_args, { mcpReq }: ServerContext) => {
    await mcpReq.log("debug", "a detail", "fixture");
    await mcpReq.log("info", { what: "a fact" }, "fixture");
    await mcpReq.log("error", "a fault", "fixture");
    return textResult("logged");
  }),
  region: fixtureTool(
    "Has an argument that travels in a header too, and answers with both",
    { region: z.string().meta({ "x-mcp-header": "Region" }) },
    ({ region }, { http }: ServerContext) => {
      const header = http?.req?.headers.get("mcp-param-region") ?? null;
      return textResult(JSON.stringify({ region, header }));
    },
  ),
};
