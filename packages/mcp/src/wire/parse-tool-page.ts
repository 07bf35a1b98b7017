/** Reads a page of `tools/list` tolerantly: a malformed tool is dropped with a reason, the others stay. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool, ToolAnnotations } from "@plugboard/contracts";
import { DroppedTools } from "./dropped-tools.ts";
import type { DroppedTool } from "./dropped-tools.ts";

export interface ToolPage {
  readonly tools: Tool[];
  readonly dropped: DroppedTool[];
  /** How many were dropped beside those that are named. */
  readonly more?: number;
  readonly nextCursor?: string;
}

/** What a tool without a usable schema accepts: anything. Its server is the judge then. */
const ANY_OBJECT: JsonObject = { type: "object", additionalProperties: true };

const MAX_NAME_LENGTH = 1000;
/** A schema that is deeper can't be compiled, shown or passed between threads. */
const MAX_DEPTH = 500;

export function parseToolPage(result: JsonObject): ToolPage | undefined {
  const list = result["tools"];
  if (!Array.isArray(list)) return undefined;
  const tools: Tool[] = [];
  const dropped = new DroppedTools();
  list.forEach((value, index) => {
    const tool = parseTool(value, index);
    if ("reason" in tool) dropped.add(tool);
    else tools.push(tool);
  });
  const { nextCursor } = result;
  const { named, unnamedCount } = dropped;
  // An empty cursor would ask for the first page again.
  const hasNextPage = typeof nextCursor === "string" && nextCursor !== "";
  return { tools, dropped: named, ...(unnamedCount > 0 && { more: unnamedCount }), ...(hasNextPage && { nextCursor }) };
}

function parseTool(value: Json, index: number): Tool | DroppedTool {
  const placeholder = `#${index + 1}`;
  if (!isJsonObject(value)) return { tool: placeholder, reason: "it is not an object" };
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = value;
  if (typeof name !== "string" || name === "") return { tool: placeholder, reason: "it has no name" };
  if (name.length > MAX_NAME_LENGTH) {
    return { tool: `${name.slice(0, 100)}…`, reason: `its name is over ${MAX_NAME_LENGTH} characters` };
  }
  if (isDeeperThan(MAX_DEPTH, inputSchema) || isDeeperThan(MAX_DEPTH, outputSchema)) {
    return { tool: name, reason: `its schema is nested more than ${MAX_DEPTH} deep` };
  }
  return {
    name,
    inputSchema: isJsonObject(inputSchema) ? inputSchema : ANY_OBJECT,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations: parseAnnotations(annotations) }),
    ...(isJsonObject(execution) && execution["taskSupport"] === "required" && { taskOnly: true }),
  };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeperThan(levels - 1, (value as { readonly [key: string]: unknown })[key])) return true;
  }
  return false;
}

function parseAnnotations(value: JsonObject): ToolAnnotations {
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = value;
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}
