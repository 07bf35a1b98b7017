import type { JsonObject } from "../lib/json.ts";

/** The content types of the published protocol revisions. */
export type KnownContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string }
  | { readonly type: "resource"; readonly resource: JsonObject };

/**
 * A content block. Its `type` narrows it, as in the official SDK. Blocks of other types, which a server may send too,
 * are passed through unchanged. So a `switch` over all types needs a default.
 */
export type ContentBlock = KnownContent & JsonObject;

/** A content block of any type, whose fields are not checked. */
export type AnyContent = JsonObject & { readonly type: string };

/** Also checks that there is a text: a server may omit it. */
export function isText(block: AnyContent): block is AnyContent & { readonly type: "text"; readonly text: string } {
  return block.type === "text" && typeof block["text"] === "string";
}
