import type { JsonObject } from "../lib/json.ts";

/** The content types of the published protocol revisions. */
export type KnownContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string }
  | { readonly type: "resource"; readonly resource: JsonObject };

/** A content block. Blocks of unknown types are passed through unchanged. */
export type ContentBlock = (KnownContent & JsonObject) | (JsonObject & { readonly type: string });

export function isText(block: ContentBlock): block is ContentBlock & { readonly type: "text"; readonly text: string } {
  return block.type === "text" && typeof block["text"] === "string";
}
