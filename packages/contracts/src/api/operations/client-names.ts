/** The names of other MCP clients whose config files Plugboard can read and write. */
export const CLIENT_NAMES = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "opencode",
  "windsurf",
  "zed",
  "goose",
] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];
