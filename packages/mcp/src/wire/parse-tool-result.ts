/** Parses the result of `tools/call`. Content blocks of unknown types are kept unchanged. */
import { isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, JsonObject, ToolResult } from "@plugboard/contracts";

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
