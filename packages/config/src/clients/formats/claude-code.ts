/**
 * Claude Code: JSON with `mcpServers`. The user's file also has servers for single projects. That file and the
 * project's settings list the servers of `.mcp.json` that the user has refused. Plugboard reads `.mcp.json` as a config
 * file of its own.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Client, ServerSection } from "./client.ts";
import { SHELL_BRACES } from "../placeholders/dialect.ts";
import { joinPath } from "./client-folders.ts";
import { hasObject, sectionAt, withoutKeys } from "./section-at.ts";
import { writeRemote, writeStdio } from "./standard-entry.ts";

const TYPES: { readonly [transport: string]: string } = { stdio: "stdio", http: "http", sse: "sse", websocket: "ws" };

export const claudeCode: Client = {
  name: "claude-code",
  label: "Claude Code",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, places.env["CLAUDE_CONFIG_DIR"] || places.home, ".claude.json"), scope: "user" },
    { path: joinPath(places, places.project, ".claude", "settings.local.json"), scope: "project" },
  ],
  ownsPath: (path) => /(?:^|\/)\.claude(?:\.json|\/settings(?:\.local)?\.json)$/.test(path),
  ownsDocument: (document) => hasObject(document, "mcpServers") && hasObject(document, "projects"),
  serversPath: ["mcpServers"],
  sections: (document, { project }) => [
    ...sectionAt(document, "mcpServers"),
    ...refusedServers(document),
    ...projectSections(document, project),
  ],
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
  const servers = sectionAt(project, "mcpServers").map((section): ServerSection => ({ ...section, scope: "local" }));
  return [...servers, ...refusedServers(project)];
}

/** Returns entries that disable the servers of `.mcp.json` that the user has refused. */
function refusedServers({ disabledMcpjsonServers: refused }: JsonObject): ServerSection[] {
  const ids = Array.isArray(refused) ? refused.filter((id) => typeof id === "string") : [];
  if (ids.length === 0) return [];
  return [{ scope: "local", servers: Object.fromEntries(ids.map((id) => [id, { enabled: false }])) }];
}
