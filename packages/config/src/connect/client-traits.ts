/** How each client is found on this machine, how it starts servers, and what its user has to do after a change. */
import type { ClientName, JsonObject } from "@plugboard/contracts";

export interface ClientTraits {
  /** The names of its programs on the PATH. */
  readonly programs: readonly string[];
  /** The names of its applications on macOS. */
  readonly apps: readonly string[];
  /** True for a client that is started from a terminal, and so has the user's PATH. */
  readonly inTerminal: boolean;
  /** What the user has to do before the client uses a new entry. */
  readonly next: string;
  /** The same for an entry in a project's file, if it differs. */
  readonly nextInProject?: string;
  /**
   * Settings of the entry by which the client waits for Plugboard before its first turn. Otherwise its model may begin
   * without the tools. A value that the user has set is kept.
   */
  readonly firstTurn?: JsonObject;
}

export const CLIENT_TRAITS: { readonly [Name in ClientName]: ClientTraits } = {
  "claude-desktop": {
    programs: ["claude-desktop"],
    apps: ["Claude"],
    inTerminal: false,
    next: "Quit Claude Desktop and open it again.",
  },
  "claude-code": {
    programs: ["claude"],
    apps: [],
    inTerminal: true,
    next: "Start a new session of Claude Code; `claude mcp list` shows the connection.",
    nextInProject: "Start a new session of Claude Code. It asks whether you approve the servers of this project.",
    // Claude Code connects other servers in the background. It also loads all tools of this server into the context.
    firstTurn: { alwaysLoad: true },
  },
  cursor: {
    programs: ["cursor", "cursor-agent"],
    apps: ["Cursor"],
    inTerminal: false,
    next: "Open Cursor's settings, and enable plugboard under MCP if it is off.",
  },
  vscode: {
    programs: ["code", "code-insiders", "codium"],
    apps: ["Visual Studio Code", "Visual Studio Code - Insiders"],
    inTerminal: false,
    next: "VS Code asks whether you trust the server when it starts for the first time.",
  },
  codex: {
    programs: ["codex"],
    apps: [],
    inTerminal: true,
    next: "Start a new session of Codex; `codex mcp list` shows the entry.",
    nextInProject: "Start a new session of Codex. It reads this file only in a folder that you have marked as trusted.",
    // Codex waits one second for a server that is not required. Older versions wait ten seconds for a required one.
    firstTurn: { required: true, startup_timeout_sec: 30 },
  },
  gemini: {
    programs: ["gemini"],
    apps: [],
    inTerminal: true,
    next: "Start a new session of Gemini CLI. It uses MCP servers only in folders that you trust.",
  },
  opencode: {
    programs: ["opencode"],
    apps: ["OpenCode"],
    inTerminal: true,
    next: "Start a new session of opencode; `opencode mcp list` shows the connection.",
  },
  windsurf: {
    programs: ["windsurf"],
    apps: ["Windsurf"],
    inTerminal: false,
    next: "Refresh the list of MCP servers in Windsurf's settings.",
  },
  zed: {
    programs: ["zed", "zeditor"],
    apps: ["Zed"],
    inTerminal: false,
    next: "Zed starts the server by itself; its agent settings show the connection.",
  },
  goose: {
    programs: ["goose"],
    apps: ["Goose"],
    inTerminal: false,
    next: "Start a new session of Goose.",
  },
};
