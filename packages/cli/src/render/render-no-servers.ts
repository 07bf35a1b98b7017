import { userConfigPath } from "@plugboard/host";

export function renderNoServers(env: { readonly [name: string]: string | undefined }): string {
  return `No MCP servers configured. Add one to ${userConfigPath(env).path}, or give one with --mcp-server id=<command or URL>.\n`;
}
