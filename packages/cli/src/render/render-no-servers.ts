import type { Env } from "@plugboard/contracts";
import { userConfigPath } from "@plugboard/host/internal";

export function renderNoServers(env: Env): string {
  return `No MCP servers configured. Add one to ${userConfigPath(env).path}, or give one with --mcp-server id=<command or URL>.\n`;
}
