/** Offers and hides tools, and shows their names at the gateway. */
import { flag, text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";

export interface ToolOperations {
  /** Offers or hides a tool, by the list `tools.exclude` of its server. */
  enableTool(server: string, tool: string, enabled: boolean): Promise<void>;
  /** Returns the tools of all servers that `tools.exclude` hides by name, and not by a pattern. */
  hiddenTools(): Promise<HiddenTool[]>;
  /** Returns the names under which the clients of the gateway see a tool. They never see a native tool. */
  frontNames(server: string, tool: string): Promise<FrontNames>;
}

/** How the methods are called from another process. */
export const TOOL_OPERATIONS: OperationTable<ToolOperations> = {
  enableTool: { right: "manage", params: [text, text, flag] },
  hiddenTools: { right: "manage", params: [] },
  frontNames: { right: "manage", params: [text, text] },
};

export interface HiddenTool {
  readonly server: string;
  readonly tool: string;
}

export interface FrontNames {
  readonly name: string;
  /** The profiles whose clients see another name. */
  readonly profiles: readonly { readonly profile: string; readonly name: string }[];
}
