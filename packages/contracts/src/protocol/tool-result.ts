import type { ContentBlock } from "./content.ts";
import type { Json, JsonObject } from "../lib/json.ts";

/** The result of a tool. A result with `isError: true` is returned to the caller, not thrown. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}
