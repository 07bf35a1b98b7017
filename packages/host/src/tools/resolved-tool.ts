/** What a name, or a pair, stands for; and if it is not offered, why. */
import { HostError } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import type { ToolKey } from "../names/name-table.ts";
import type { NativeTool } from "./native-tool.ts";

export interface ResolvedTool extends ToolKey {
  /** Nothing if it has none or another has it: then it goes by `server:tool` only. */
  readonly name?: string;
  readonly definition: Tool;
  /** What to run, if it is one of the program's. */
  readonly native?: NativeTool;
  /** The server's definition excludes it. */
  readonly excluded?: true;
  /** It, or its whole server, is switched off. */
  readonly disabled?: true;
}

/** For one that is not offered. */
export function toolOffError({ server, tool, excluded }: ResolvedTool): HostError {
  const reason = excluded
    ? "the definition of its server, or the program, excludes it"
    : "it, or its server, is switched off";
  return new HostError("TOOL_OFF", { tool: `${server}:${tool}`, reason });
}
