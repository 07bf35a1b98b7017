/** A tool of the host's own. */
import type { Caller, JsonObject, ToolAnnotations, ToolResult } from "@plugboard/contracts";

export interface NativeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations?: ToolAnnotations;
  run(args: JsonObject, context: NativeContext): Promise<ToolResult>;
}

export interface NativeContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

/** These tools ask servers for something and change nothing. */
export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
