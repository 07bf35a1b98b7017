/** The clients whose files Plugboard can read and write. */
import type { ClientName } from "@plugboard/contracts";
import type { Client } from "./formats/client.ts";
import { claudeCode } from "./formats/claude-code.ts";
import { claudeDesktop } from "./formats/claude-desktop.ts";
import { codex } from "./formats/codex.ts";
import { cursor } from "./formats/cursor.ts";
import { gemini } from "./formats/gemini.ts";
import { goose } from "./formats/goose.ts";
import { opencode } from "./formats/opencode.ts";
import { vscode } from "./formats/vscode.ts";
import { windsurf } from "./formats/windsurf.ts";
import { zed } from "./formats/zed.ts";

export const CLIENTS: { readonly [Name in ClientName]: Client } = {
  "claude-desktop": claudeDesktop,
  "claude-code": claudeCode,
  cursor,
  vscode,
  codex,
  gemini,
  opencode,
  windsurf,
  zed,
  goose,
};
