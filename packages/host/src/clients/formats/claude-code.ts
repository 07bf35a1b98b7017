/**
 * Claude Code: JSON with `mcpServers`. The user's file also has servers for single projects, and the names of servers of
 * `.mcp.json` that the user has refused there.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Client, ServerSection } from "./client.ts";
import { SHELL_BRACES } from "../placeholders/dialect.ts";
import { hasObject, joinPath, sectionAt, withoutKeys, writeRemote, writeStdio } from "./standard-entry.ts";

const TYPES: { readonly [transport: string]: string } = { stdio: "stdio", http: "http", sse: "sse", websocket: "ws" };

export const claudeCode: Client = {
  name: "claude-code",
  label: "Claude Code",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, places.env["CLAUDE_CONFIG_DIR"] || places.home, ".claude.json"), scope: "user" },
  ],
  ownsPath: (path) => /(?:^|\/)\.claude\.json$/.test(path),
  ownsDocument: (document) => hasObject(document, "mcpServers") && hasObject(document, "projects"),
  serversPath: ["mcpServers"],
  sections: (document, { project }) => [...sectionAt(document, "mcpServers"), ...projectSections(document, project)],
  dialect: () => SHELL_BRACES,
  read: (entry, _id, notes) => {
    if (entry["headersHelper"] === undefined) return { entry };
    notes.push('headersHelper is left out; write the header with { "$cmd": ["program", …] }, which prints its value');
    return { entry: withoutKeys(entry, ["headersHelper"]) };
  },
  write: (entry, writer) => {
    const type = TYPES[entry.transport ?? ""];
    if (type === undefined || entry.enabled === false) return undefined;
    const timeout = writer.take("request_timeout_ms");
    const withTimeout = timeout === undefined ? {} : { timeout };
    if (type === "stdio") return { type, ...writeStdio(writer, { cwd: false }), ...withTimeout };
    const { client_id, callback_port } = writer.oauth(["client_id", "callback_port"]) ?? {};
    const oauth = {
      ...(client_id !== undefined && { clientId: writer.text("oauth", client_id, "client_id") }),
      ...(callback_port !== undefined && { callbackPort: callback_port }),
    };
    const withOauth = Object.keys(oauth).length === 0 ? {} : { oauth };
    return { type, ...writeRemote(writer), ...withOauth, ...withTimeout };
  },
  document: (mcpServers) => ({ mcpServers }),
};

/** Returns the user's own servers for the project, and the servers of the project that the user has refused. */
function projectSections(document: JsonObject, folder: string): ServerSection[] {
  const projects = document["projects"];
  const project = isJsonObject(projects) && Object.hasOwn(projects, folder) ? projects[folder] : undefined;
  if (!isJsonObject(project)) return [];
  const refused = project["disabledMcpjsonServers"];
  const ids = Array.isArray(refused) ? refused.filter((id) => typeof id === "string") : [];
  const switches = Object.fromEntries(ids.map((id) => [id, { enabled: false }]));
  return [...sectionAt(project, "mcpServers"), ...(ids.length > 0 ? [{ servers: switches }] : [])].map(
    ({ servers }) => ({ scope: "local", servers }),
  );
}
