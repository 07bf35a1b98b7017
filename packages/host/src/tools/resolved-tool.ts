/** The tool that a name or `server:tool` refers to, and whether it is excluded or disabled. */
import { HostError } from "@plugboard/contracts";
import type { Tool, ToolOffCause } from "@plugboard/contracts";
import type { ToolKey } from "../names/name-table.ts";
import type { NativeTool } from "./native-tool.ts";

export interface ResolvedTool extends ToolKey {
  /**
   * The model-visible name. Undefined if another tool has the name. Then the tool is callable only as `server:tool`.
   */
  readonly name?: string;
  readonly definition: Tool;
  /** Set for a native tool. */
  readonly native?: NativeTool;
  /** Set if the server's definition or the program excludes the tool. */
  readonly excluded?: Exclude<ToolOffCause, DisabledCause>;
  /** Set if the tool or its server is disabled. */
  readonly disabled?: DisabledCause;
}

type DisabledCause = Extract<ToolOffCause, `${string}_disabled`>;

/** Returns the error for a call of an excluded or disabled tool. */
export function toolOffError({ server, tool, excluded, disabled = "tool_disabled" }: ResolvedTool): HostError {
  return new HostError("TOOL_OFF", { tool: `${server}:${tool}`, by: excluded ?? disabled });
}
