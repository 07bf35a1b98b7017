/** Gemini CLI: `mcpServers` in its settings. The key `mcp` lists which of them are used. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Client, ServerSection } from "./client.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { SHELL_LIKE } from "../placeholders/dialect.ts";
import { toScopes } from "./cursor.ts";
import { joinPath } from "./client-folders.ts";
import { sectionAt, withoutKeys } from "./section-at.ts";
import { writeRemote, writeStdio, writeTools } from "./standard-entry.ts";

const OAUTH_KEYS = [
  "client_id",
  "client_secret",
  "authorization_url",
  "token_url",
  "registration_url",
  "scope",
] as const;

export const gemini: Client = {
  name: "gemini",
  label: "Gemini CLI",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, places.home, ".gemini", "settings.json"), scope: "user" },
    { path: joinPath(places, places.project, ".gemini", "settings.json"), scope: "project" },
  ],
  ownsPath: (path) => /(?:^|\/)\.gemini\/settings\.json$/.test(path),
  ownsDocument: () => false,
  serversPath: ["mcpServers"],
  sections: (document) => sectionAt(document, "mcpServers").map((section) => applyLists(section, document["mcp"])),
  dialect: () => SHELL_LIKE,
  read: (entry, _id, notes) => {
    if (entry["trust"] === true)
      notes.push('trust is left out; to call its tools without a question, run "plugboard permissions allow"');
    const { oauth, url, httpUrl, ...rest } = withoutKeys(entry, ["trust", "description", "authProviderType"]);
    if (entry["authProviderType"] !== undefined)
      notes.push("authProviderType is left out; Plugboard discovers the login");
    return { entry: { ...rest, ...readUrl(url, httpUrl, entry["command"]), ...readOauth(oauth) } };
  },
  write: (entry, writer) => {
    const timeout = writer.take("request_timeout_ms");
    const common = {
      ...(timeout !== undefined && { timeout }),
      ...writeTools(writer, "includeTools", "excludeTools"),
    };
    if (entry.transport === "stdio") return { ...writeStdio(writer, { cwd: true }), ...common };
    if (entry.transport !== "http" && entry.transport !== "sse") return undefined;
    const target =
      entry.transport === "http" ? writeRemote(writer, "httpUrl") : { ...writeRemote(writer), type: "sse" };
    return { ...target, ...writeOauth(writer), ...common };
  },
  document: (mcpServers, { disabled }) => ({
    ...(disabled.length > 0 && { mcp: { excluded: [...disabled] } }),
    mcpServers,
  }),
};

/** Disables the servers that `mcp.excluded` lists, or that `mcp.allowed` does not list. */
function applyLists({ servers }: ServerSection, settings: Json | undefined): ServerSection {
  const { allowed, excluded } = isJsonObject(settings) ? settings : {};
  const isDisabled = (id: string) =>
    (Array.isArray(excluded) && excluded.includes(id)) ||
    (Array.isArray(allowed) && allowed.length > 0 && !allowed.includes(id));
  const entries = Object.entries(servers).map(([id, entry]): [string, Json | undefined] => [
    id,
    isDisabled(id) && isJsonObject(entry) ? { ...entry, enabled: false } : entry,
  ]);
  return { servers: Object.fromEntries(entries) };
}

/** `httpUrl` means Streamable HTTP, and `url` either that or SSE. A command has priority over both. */
function readUrl(url: Json | undefined, httpUrl: Json | undefined, command: Json | undefined): JsonObject {
  if (command !== undefined) return {};
  if (httpUrl !== undefined) return { url: httpUrl, transport: "http" };
  return url === undefined ? {} : { url };
}

function readOauth(oauth: Json | undefined): JsonObject {
  if (!isJsonObject(oauth) || oauth["enabled"] === false) return {};
  const fields = withoutKeys(oauth, ["enabled"]);
  return Object.keys(fields).length === 0 ? {} : { oauth: fields };
}

function writeOauth(writer: EntryWriter): JsonObject {
  const fields = writer.oauth(OAUTH_KEYS);
  if (!fields) return {};
  const { client_id, client_secret, authorization_url, token_url, registration_url, scope } = fields;
  const urls = { authorizationUrl: authorization_url, tokenUrl: token_url, registrationUrl: registration_url };
  const texts = Object.entries({ clientId: client_id, ...urls }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, writer.text("oauth", value, key)]],
  );
  return {
    oauth: {
      enabled: true,
      ...(Object.fromEntries(texts) as JsonObject),
      ...(client_secret !== undefined && writer.record("oauth", { clientSecret: client_secret })),
      ...(scope !== undefined && { scopes: toScopes(writer.text("oauth", scope, "scope")) }),
    },
  };
}
