/** What a name, or a pair, stands for; and if it is not offered, why. */
import { HostError } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import type { ToolPair } from "../names/name-table.ts";
import type { NativeTool } from "./native-tool.ts";

export interface FoundTool extends ToolPair {
  /** Nothing if it has none or another has it: then it goes by `server:tool` only. */
  readonly name?: string;
  readonly definition: Tool;
  /** What to run, if it is one of the program's. */
  readonly native?: NativeTool;
  /** The server's definition excludes it. */
  readonly excluded?: true;
  /** It, or its whole server, is switched off. */
  readonly off?: true;
}

/** For one that is not offered. */
export function toolOff({ server, tool, excluded }: FoundTool): HostError {
  const why = excluded
    ? "the definition of its server, or the program, excludes it"
    : "it, or its server, is switched off";
  return new HostError("TOOL_OFF", { tool: `${server}:${tool}`, why });
}
