/** Claude Desktop: JSON with `mcpServers`, all of which are programs. It expands no placeholders. */
import type { Client } from "./client.ts";
import { NO_PLACEHOLDERS } from "../placeholders/dialect.ts";
import { appDataFolder, joinPath } from "./client-folders.ts";
import { sectionAt } from "./section-at.ts";
import { writeStdio } from "./standard-entry.ts";

const FILE = "claude_desktop_config.json";

export const claudeDesktop: Client = {
  name: "claude-desktop",
  label: "Claude Desktop",
  syntax: "json",
  // On Linux some builds use a lower-case folder.
  files: (places) =>
    [...(places.platform === "linux" ? ["claude"] : []), "Claude"].map((folder) => {
      return { path: joinPath(places, appDataFolder(places), folder, FILE), scope: "user" };
    }),
  ownsPath: (path) => path.endsWith(`/${FILE}`) || path === FILE,
  ownsDocument: () => false,
  serversPath: ["mcpServers"],
  sections: (document) => sectionAt(document, "mcpServers"),
  dialect: () => NO_PLACEHOLDERS,
  read: (entry) => ({ entry }),
  write: (entry, writer) => {
    if (entry.transport !== "stdio" || entry.enabled === false) return undefined;
    return writeStdio(writer, { cwd: false });
  },
  document: (mcpServers) => ({ mcpServers }),
};
