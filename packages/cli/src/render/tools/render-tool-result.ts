/** Renders a tool's result: shows its text, and describes other content in brackets. */
import { isJsonObject, isText } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";

export function renderToolResult(result: ToolResult): string {
  const shown = result.content.map(renderBlock);
  if (shown.length === 0 && result.structuredContent !== undefined) {
    shown.push(renderStructuredContent(result.structuredContent));
  }
  return shown.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}

/** Returns the text of the result alone, exactly as the server sent it. */
export function rawText({ content }: ToolResult): string {
  return content.flatMap((block) => textOf(block) ?? []).join("");
}

/** A server can send content that is nested too deeply to be serialized. */
function renderStructuredContent(value: Json): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return "[structured content, nested too deeply to be shown]";
  }
}

/** Returns the text of a text block or of an embedded resource. */
function textOf(block: ContentBlock): string | undefined {
  if (isText(block)) return block.text;
  const { resource } = block as { readonly resource?: Json };
  return isJsonObject(resource) && typeof resource["text"] === "string" ? resource["text"] : undefined;
}

function renderBlock(block: ContentBlock): string {
  const text = textOf(block);
  if (text !== undefined) return text;
  const { type, mimeType, data, uri, resource } = block as { [key: string]: unknown } & { type: string };
  const inner = isJsonObject(resource) ? resource : {};
  const details = [
    typeof mimeType === "string" && mimeType,
    typeof inner["mimeType"] === "string" && inner["mimeType"],
    typeof data === "string" && `${Buffer.byteLength(data, "base64")} bytes`,
    typeof inner["blob"] === "string" && `${Buffer.byteLength(inner["blob"], "base64")} bytes`,
    typeof uri === "string" && uri,
    typeof inner["uri"] === "string" && inner["uri"],
  ].filter(Boolean);
  return `[${[type, ...details].join(", ")}]`;
}
