import type { Env } from "@plugboard/contracts";
import { userConfigPath } from "@plugboard/config";

export function renderNoServers(env: Env): string {
  return `No MCP servers configured. Add one with \`plugboard add <id> <command or URL>\`, or in ${userConfigPath(env).path}.\n`;
}
