/** Windsurf: JSON with `mcpServers` and `serverUrl`. */
import type { Client } from "./client.ts";
import { ENV_AND_FILE_BRACES } from "../placeholders/dialect.ts";
import { joinPath } from "./client-folders.ts";
import { sectionAt } from "./section-at.ts";
import { writeRemote, writeStdio, writeTools } from "./standard-entry.ts";

export const windsurf: Client = {
  name: "windsurf",
  label: "Windsurf",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, places.home, ".codeium", "windsurf", "mcp_config.json"), scope: "user" },
  ],
  ownsPath: (path) => /(?:^|\/)mcp_config\.json$/.test(path),
  ownsDocument: () => false,
  serversPath: ["mcpServers"],
  sections: (document) => sectionAt(document, "mcpServers"),
  dialect: () => ENV_AND_FILE_BRACES,
  read: (entry) => ({ entry }),
  write: (entry, writer) => {
    const isStdio = entry.transport === "stdio";
    if (!isStdio && entry.transport !== "http") return undefined;
    // Windsurf has no settings for a login.
    writer.oauth([]);
    return {
      ...(isStdio ? writeStdio(writer, { cwd: false }) : writeRemote(writer, "serverUrl")),
      ...(entry.enabled === false && { disabled: true }),
      ...writeTools(writer, undefined, "disabledTools"),
    };
  },
  document: (mcpServers) => ({ mcpServers }),
};
