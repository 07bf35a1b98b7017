/**
 * Replaces the URIs of resources inside results and definitions of servers, for clients of the gateway. Returns the
 * same value if nothing changes.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

type RewriteUri = (uri: string) => string;

/** Rewrites the result of a tool, prompt, resource or task. */
export function rewriteResultUris(result: JsonObject, rewrite: RewriteUri): JsonObject {
  const { content, messages, contents, result: taskResult } = result;
  let rewritten = rewriteMetaUris(result, rewrite);
  // Copies the result only to change it, because most results have no URIs and a copy is slow.
  const set = (field: string, value: Json) => {
    if (value !== result[field]) rewritten = { ...rewritten, [field]: value };
  };
  if (Array.isArray(content))
    set(
      "content",
      mapChanged(content, (block) => rewriteBlock(block, rewrite)),
    );
  if (Array.isArray(messages))
    set(
      "messages",
      mapChanged(messages, (message) => rewriteMessage(message, rewrite)),
    );
  if (Array.isArray(contents))
    set(
      "contents",
      mapChanged(contents, (part) => rewriteField(part, "uri", rewrite)),
    );
  if (isJsonObject(taskResult)) set("result", rewriteResultUris(taskResult, rewrite));
  return rewritten;
}

/** Returns the same array if no item changes. */
function mapChanged(items: readonly Json[], change: (item: Json) => Json): Json {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : (items as Json);
}

/** Rewrites the user interface that `_meta` of a tool or result names. Older servers use a flat key. */
export function rewriteMetaUris<T extends JsonObject>(value: T, rewrite: RewriteUri): T {
  const { _meta: meta } = value;
  if (!isJsonObject(meta)) return value;
  const { ui } = meta;
  const flat = rewriteField(meta, "ui/resourceUri", rewrite) as JsonObject;
  return { ...value, _meta: isJsonObject(ui) ? { ...flat, ui: rewriteField(ui, "resourceUri", rewrite) } : flat };
}

/** Rewrites a field if the value is an object that has it as a string. */
function rewriteField(value: Json, field: string, rewrite: RewriteUri): Json {
  if (!isJsonObject(value)) return value;
  const uri = value[field];
  return typeof uri === "string" ? { ...value, [field]: rewrite(uri) } : value;
}

function rewriteMessage(message: Json, rewrite: RewriteUri): Json {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  return content === undefined ? message : { ...message, content: rewriteBlock(content, rewrite) };
}

function rewriteBlock(block: Json, rewrite: RewriteUri): Json {
  if (!isJsonObject(block)) return block;
  const { type, resource } = block;
  if (type === "resource_link") return rewriteField(block, "uri", rewrite);
  if (type !== "resource" || resource === undefined) return block;
  return { ...block, resource: rewriteField(resource, "uri", rewrite) };
}
