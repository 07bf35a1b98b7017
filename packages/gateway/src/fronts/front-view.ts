/** The part of a workspace that a client of the gateway sees. A profile shows less than the whole workspace. */
import type { ToolRef } from "@plugboard/contracts";
import type { OpenWorkspace, RegisteredTool } from "@plugboard/host/internal";

export interface FrontView {
  /** Returns the tools under the names that the client uses. */
  tools(): readonly RegisteredTool[];
  /** Returns the tool with that name, or undefined if the client must not see it. */
  findTool(name: string): ToolRef | undefined;
  /** Calls the listener when the tools may have changed. Returns the function that removes it. */
  onToolsChanged(listener: () => void): () => void;
}

/**
 * Shows all servers of the workspace. Leaves out the host's own tools, because they stand for methods of the protocol,
 * such as reading resources.
 */
export function workspaceView({ tools }: OpenWorkspace): FrontView {
  return {
    tools: () => tools.list().filter(({ origin }) => origin === "mcp"),
    findTool: (name) => (tools.isNative(name) ? undefined : name),
    onToolsChanged: (listener) => tools.onChanged(listener),
  };
}
