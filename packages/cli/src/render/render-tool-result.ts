/** Renders a tool's result: shows its text, and describes other content in brackets. */
import { isText } from "@plugboard/contracts";
import type { ContentBlock, Json, ToolResult } from "@plugboard/contracts";

export function renderToolResult(result: ToolResult): string {
  const shown = result.content.map(renderBlock);
  if (shown.length === 0 && result.structuredContent !== undefined) {
    shown.push(renderStructuredContent(result.structuredContent));
  }
  return shown.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}

/** A server can send content that is nested too deeply to be serialized. */
function renderStructuredContent(value: Json): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return "[structured content, nested too deeply to be shown]";
  }
}

function renderBlock(block: ContentBlock): string {
  if (isText(block)) return block.text;
  const { type, mimeType, data, uri, resource } = block as { [key: string]: unknown } & { type: string };
  const inner = typeof resource === "object" && resource !== null ? (resource as { [key: string]: unknown }) : {};
  if (typeof inner["text"] === "string") return inner["text"];
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
