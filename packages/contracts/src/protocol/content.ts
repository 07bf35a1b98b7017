import type { JsonObject } from "../lib/json.ts";

/** The content types of the published revisions. */
export type KnownContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string }
  | { readonly type: "resource"; readonly resource: JsonObject };

/** A block of a type this version does not know passes through untouched. */
export type ContentBlock = (KnownContent & JsonObject) | (JsonObject & { readonly type: string });

export function isText(block: ContentBlock): block is ContentBlock & { readonly type: "text"; readonly text: string } {
  return block.type === "text" && typeof block["text"] === "string";
}
