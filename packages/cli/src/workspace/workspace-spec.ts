/** The options of every command that opens a workspace, and the workspace that they describe. */
import type { WorkspaceSpec } from "@plugboard/contracts";
import { parseServerFlags } from "../arguments/parse-server-flag.ts";

export interface ConfigOptions {
  /** The additional config files. */
  readonly config: readonly string[];
  /** The values of `--mcp-server`, such as `files=npx server`. */
  readonly mcpServer: readonly string[];
}

export function toWorkspaceSpec({ config, mcpServer }: ConfigOptions, cwd: string): WorkspaceSpec {
  return { cwd, configFiles: config, ...(mcpServer.length > 0 && { servers: parseServerFlags(mcpServer) }) };
}
