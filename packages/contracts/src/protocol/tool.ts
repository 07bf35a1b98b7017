import type { JsonObject } from "../lib/json.ts";

/** A tool as its server describes it. Everything in it is the word of an untrusted party. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Whether it runs only as a task of the revision 2025-11-25. */
  readonly taskOnly?: boolean;
}

/** Hints, not promises: they count only for servers the user has declared trustworthy. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as the host offers it: under its model-visible name, with where it comes from. */
export interface OfferedTool {
  /** The model-visible name. */
  readonly name: string;
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Whether a server has it or the program itself. */
  readonly origin: "mcp" | "native";
  /** The hash of its definition, which approvals are bound to. */
  readonly pin: string;
  /** Of the server it comes from, in the server's own words. */
  readonly version?: string;
}

/** A tool is called by its model-visible name, by `server:tool`, or by the pair. */
export type ToolRef = string | { readonly server: string; readonly tool: string };
