/** Parses the results of `tools/list` and `tools/call`. Keeps fields that it does not know. */
import { isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, Json, JsonObject, Tool, ToolAnnotations, ToolResult } from "@plugboard/contracts";
import { DroppedItems } from "./dropped-items.ts";
import type { DroppedItem } from "./dropped-items.ts";

export interface ToolPage {
  readonly tools: Tool[];
  readonly dropped: DroppedItem[];
  /** The number of dropped tools that `dropped` does not name. */
  readonly unnamedCount?: number;
  readonly nextCursor?: string;
}

/** The schema for a tool without a valid one. It accepts any arguments and leaves the check to the server. */
const ANY_OBJECT: JsonObject = { type: "object", additionalProperties: true };

const MAX_NAME_LENGTH = 1000;
/** A deeper schema cannot be compiled, shown or passed between threads. */
const MAX_DEPTH = 500;

/** Drops each malformed tool with a reason and keeps the others. Returns undefined if there is no list. */
export function parseToolPage(result: JsonObject): ToolPage | undefined {
  const list = result["tools"];
  if (!Array.isArray(list)) return undefined;
  const tools: Tool[] = [];
  const dropped = new DroppedItems();
  list.forEach((value, index) => {
    const tool = parseTool(value, index);
    if ("reason" in tool) dropped.add(tool);
    else tools.push(tool);
  });
  const { nextCursor } = result;
  const { named, unnamedCount } = dropped;
  // An empty cursor would request the first page again.
  const hasNextPage = typeof nextCursor === "string" && nextCursor !== "";
  return { tools, dropped: named, ...(unnamedCount > 0 && { unnamedCount }), ...(hasNextPage && { nextCursor }) };
}

function parseTool(value: Json, index: number): Tool | DroppedItem {
  const placeholder = `#${index + 1}`;
  if (!isJsonObject(value)) return { name: placeholder, reason: "it is not an object" };
  const { name, title, description, inputSchema, outputSchema, annotations, execution, taskOnly: _, ...others } = value;
  if (typeof name !== "string" || name === "") return { name: placeholder, reason: "it has no name" };
  if (name.length > MAX_NAME_LENGTH) {
    return { name: `${name.slice(0, 100)}…`, reason: `its name is over ${MAX_NAME_LENGTH} characters` };
  }
  if (!describesObject(inputSchema)) return { name, reason: "its input schema does not describe an object" };
  if (isDeeperThan(MAX_DEPTH, inputSchema) || isDeeperThan(MAX_DEPTH, outputSchema)) {
    return { name, reason: `its schema is nested more than ${MAX_DEPTH} deep` };
  }
  return {
    ...others,
    name,
    inputSchema: isJsonObject(inputSchema) ? inputSchema : ANY_OBJECT,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations: parseAnnotations(annotations) }),
    ...(isJsonObject(execution) && { execution }),
    ...(isJsonObject(execution) && execution["taskSupport"] === "required" && { taskOnly: true }),
  };
}

/** Arguments are an object, so a tool with a schema of another type can't be called. Many servers omit the type. */
function describesObject(schema: Json | undefined): boolean {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  if (Array.isArray(type)) return type.includes("object");
  return typeof type !== "string" || type === "object";
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
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint, ...others } = value;
  return {
    ...others,
    ...(typeof title === "string" && { title }),
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}

/** Keeps content blocks of unknown types unchanged. Returns undefined if the result is malformed. */
export function parseToolResult(result: JsonObject): ToolResult | undefined {
  const { content, structuredContent, isError, _meta } = result;
  if (content === undefined && structuredContent === undefined) return undefined;
  if (content !== undefined && !(Array.isArray(content) && content.every(isContentBlock))) return undefined;
  return {
    content: content ?? [],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(typeof isError === "boolean" && { isError }),
    ...(isJsonObject(_meta) && { _meta }),
  };
}

function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value["type"] === "string";
}
