/** The part of a workspace that a client of the gateway sees. A profile shows less than the whole workspace. */
import type { Naming, OpenWorkspace, RegisteredTool, ResolvedTool } from "@plugboard/host/internal";

export interface FrontView {
  /** How the names of prompts are made. */
  naming(): Naming;
  /** Returns whether the client sees this server. */
  includes(server: string): boolean;
  /** Returns the tools under the names that the client uses. */
  tools(): readonly RegisteredTool[];
  /** Returns the tool with that name, or undefined if the client must not see it. */
  findTool(name: string): ResolvedTool | undefined;
  /** Calls the listener when the tools may have changed. Returns the function that removes it. */
  onToolsChanged(listener: () => void): () => void;
}

/**
 * Shows all servers of the workspace. Leaves out the host's own tools, because they stand for methods of the protocol,
 * such as reading resources.
 */
export function workspaceView(workspace: OpenWorkspace): FrontView {
  const { tools } = workspace;
  return {
    naming: () => workspace.naming,
    includes: () => true,
    tools: () => tools.list().filter(({ origin }) => origin === "mcp"),
    findTool: (name) => {
      const found = tools.find(name);
      return found?.name === name && !found.native ? found : undefined;
    },
    onToolsChanged: (listener) => tools.onChanged(listener),
  };
}
