/** The port to the tools. They may be functions of the program, tools of MCP servers, or both. */
import type { ChatMedia, ChatToolApp, JsonObject } from "@plugboard/contracts";

export interface Tools {
  /** Called before every request to the model, so tools may appear and vanish within a turn. */
  list(): readonly ToolDefinition[] | Promise<readonly ToolDefinition[]>;
  /**
   * Runs a tool. A thrown error is passed to the model as the result. The codes TOOL_DENIED and NOBODY_TO_ASK of a
   * `HostError` mark a denied call, and TOOL_NOT_FOUND a tool that vanished.
   */
  call(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolOutput | string>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  /** The tool of a server, as `server:tool`. Its results are untrusted. Absent for functions of the program. */
  readonly source?: string;
  /** The name that people see, such as `server:tool`. By default the `source`. */
  readonly displayName?: string;
}

export interface ToolCallOptions {
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Identifies the call in the events of the turn. */
  readonly callId: string;
}

export interface ToolOutput {
  readonly text: string;
  readonly media?: readonly ChatMedia[];
  readonly isError?: boolean;
  /** What the App of the tool needs. The model does not get it. */
  readonly app?: ChatToolApp;
  /** Replaces the `source` of the definition, for a tool that calls other tools. */
  readonly source?: string;
}
