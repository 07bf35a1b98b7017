/** Tools, as their servers describe them and as the host offers them, and the results of tools. */
import type { ToolOffCause } from "../errors/error-details.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { ToolUi } from "./app.ts";
import type { ContentBlock } from "./content.ts";

/** A tool as its server describes it. Its texts and schemas are untrusted. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** True if the tool can only run as a task (protocol revision 2025-11-25). */
  readonly taskOnly?: boolean;
  readonly _meta?: Json;
}

/** Hints of the server. They are used only if the definition says `trust_annotations: true`. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The server id of the host's own tools. No configured server can have it. */
export const NATIVE_SERVER_ID = "native";

/** A tool as the host offers it: with its model-visible name and its server. */
export interface OfferedTool extends Pick<Tool, "title" | "inputSchema" | "outputSchema" | "annotations"> {
  /** The model-visible name. */
  readonly name: string;
  readonly server: string;
  /** The tool's name at its server. */
  readonly tool: string;
  readonly description: string;
  /** How the tool takes part in MCP Apps. Absent if it does not. */
  readonly ui?: ToolUi;
  /** `mcp`: a tool of a server. `native`: a tool of the host or of the program. */
  readonly origin: "mcp" | "native";
  /** The hash of the tool's definition. An approval is valid for this hash only. */
  readonly pin: string;
  /** The version of the tool's server, as reported by the server. */
  readonly version?: string;
}

/** A tool for the user, including a tool that is off or denied by a rule. */
export interface DescribedTool extends OfferedTool {
  /** Why the tool is off. Absent if it is on. */
  readonly off?: ToolOffCause;
}

/** Identifies a tool by its model-visible name, by `server:tool`, or by an object with both ids. */
export type ToolRef = string | { readonly server: string; readonly tool: string };

/** The result of a tool. A result with `isError: true` is returned to the caller, not thrown. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}
