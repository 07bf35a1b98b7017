/** Reads a page of `tools/list` tolerantly: a malformed tool is dropped with a reason, the others stay. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool, ToolAnnotations } from "@plugboard/contracts";

export interface DroppedTool {
  readonly tool: string;
  readonly reason: string;
}

export interface ToolPage {
  readonly tools: Tool[];
  readonly dropped: DroppedTool[];
  readonly nextCursor?: string;
}

/** What a tool without a usable schema accepts: anything. Its server is the judge then. */
const ANY_OBJECT: JsonObject = { type: "object", additionalProperties: true };

export function readToolPage(result: JsonObject): ToolPage | undefined {
  const list = result["tools"];
  if (!Array.isArray(list)) return undefined;
  const tools: Tool[] = [];
  const dropped: DroppedTool[] = [];
  list.forEach((value, index) => {
    const tool = readTool(value, index);
    if ("reason" in tool) dropped.push(tool);
    else tools.push(tool);
  });
  const nextCursor = result["nextCursor"];
  return { tools, dropped, ...(typeof nextCursor === "string" && { nextCursor }) };
}

function readTool(value: Json, index: number): Tool | DroppedTool {
  const nameless = `#${index + 1}`;
  if (!isJsonObject(value)) return { tool: nameless, reason: "it is not an object" };
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== "string" || name === "") return { tool: nameless, reason: "it has no name" };
  return {
    name,
    inputSchema: isJsonObject(inputSchema) ? inputSchema : ANY_OBJECT,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations: readAnnotations(annotations) }),
  };
}

function readAnnotations(value: JsonObject): ToolAnnotations {
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = value;
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}
