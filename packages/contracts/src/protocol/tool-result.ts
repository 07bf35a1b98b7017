import type { ContentBlock } from "./content.ts";
import type { Json, JsonObject } from "../lib/json.ts";

/** What a tool answered. `isError: true` is an answer for the caller to read, not an exception. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}
