/** Makes the results of servers valid for a client of the gateway. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { META_KEYS } from "@plugboard/mcp";
import type { Revision } from "@plugboard/mcp";
import { strictBlock } from "./strict-content.ts";

/** Makes the result of a tool valid. Older revisions know structured content only as an object. */
export function strictToolResult(result: JsonObject, revision: Revision): JsonObject {
  if (isStrictToolResult(result, revision)) return result;
  const { content, structuredContent, isError, ...others } = withoutServerInfo(result);
  const keepsStructure =
    structuredContent !== undefined && (revision.hasAnyStructure || isJsonObject(structuredContent));
  return {
    ...others,
    content: Array.isArray(content) ? content.map((block) => strictBlock(block, revision)) : [],
    ...(keepsStructure && { structuredContent }),
    ...(typeof isError === "boolean" && { isError }),
  };
}

/** Returns true for most results, which then need not be copied. Copying takes longer than this check. */
function isStrictToolResult(result: JsonObject, revision: Revision): boolean {
  const { content, structuredContent = {}, isError = false, _meta: meta } = result;
  if (!Array.isArray(content) || typeof isError !== "boolean" || meta !== undefined) return false;
  if (!isJsonObject(structuredContent)) return false;
  return content.every((block) => strictBlock(block, revision) === block);
}

export function strictPromptResult(result: JsonObject, revision: Revision): JsonObject {
  const { messages, description, ...others } = withoutServerInfo(result);
  return {
    ...others,
    ...(typeof description === "string" && { description }),
    messages: Array.isArray(messages) ? messages.flatMap((message) => strictMessage(message, revision)) : [],
  };
}

/** A client of the gateway talks to the gateway, so it does not get the name of the server behind it. */
export function withoutServerInfo(result: JsonObject): JsonObject {
  const { _meta: meta, ...others } = result;
  if (!isJsonObject(meta)) return others;
  const { [META_KEYS.serverInfo]: _, ...rest } = meta;
  return Object.keys(rest).length > 0 ? { ...others, _meta: rest } : others;
}

function strictMessage(message: Json, revision: Revision): JsonObject[] {
  if (!isJsonObject(message)) return [];
  const { role, content } = message;
  if ((role !== "user" && role !== "assistant") || content === undefined) return [];
  return [{ ...message, content: strictBlock(content, revision) }];
}
