/** Cursor: JSON with `mcpServers`, and `auth` with upper-case keys. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { CURSOR_VARIABLES } from "../placeholders/dialect.ts";
import { joinPath } from "./client-folders.ts";
import { sectionAt, withoutKeys } from "./section-at.ts";
import { writeRemote, writeStdio } from "./standard-entry.ts";

export const cursor: Client = {
  name: "cursor",
  label: "Cursor",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, places.home, ".cursor", "mcp.json"), scope: "user" },
    { path: joinPath(places, places.project, ".cursor", "mcp.json"), scope: "project" },
  ],
  ownsPath: (path) => /(?:^|\/)\.cursor\/mcp\.json$/.test(path),
  ownsDocument: () => false,
  serversPath: ["mcpServers"],
  sections: (document) => sectionAt(document, "mcpServers"),
  dialect: () => CURSOR_VARIABLES,
  read: (entry, _id, notes) => {
    noteEnvFile(entry, notes);
    const { auth, ...rest } = withoutKeys(entry, ["envFile"]);
    return { entry: isJsonObject(auth) ? { ...rest, oauth: readAuth(auth) } : { ...rest, ...(auth && { auth }) } };
  },
  write: (entry, writer) => {
    if (entry.enabled === false) return undefined;
    if (entry.transport === "stdio") return writeStdio(writer, { cwd: false });
    // Cursor finds out by itself whether a URL is Streamable HTTP or SSE, as Plugboard does.
    if (entry.transport !== "http") return undefined;
    return { ...writeRemote(writer), ...writeAuth(writer) };
  },
  document: (mcpServers) => ({ mcpServers }),
};

/** Adds a note if the variables of a server are in a file of their own, which Plugboard does not read. */
export function noteEnvFile({ envFile }: JsonObject, notes: string[]): void {
  if (typeof envFile !== "string") return;
  notes.push(`envFile is left out; add its variables to env, such as "API_KEY": { "$file": "…" }`);
}

const AUTH_KEYS: { readonly [key: string]: string } = { CLIENT_ID: "client_id", CLIENT_SECRET: "client_secret" };

function readAuth(auth: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(auth).map(([key, value]) => [AUTH_KEYS[key] ?? key, value]));
}

function writeAuth(writer: EntryWriter): { auth?: JsonObject } {
  const { client_id, client_secret, scope } = writer.oauth(["client_id", "client_secret", "scope"]) ?? {};
  if (client_id === undefined && scope === undefined) return {};
  return {
    auth: {
      ...(client_id !== undefined && { CLIENT_ID: writer.text("auth", client_id, "client_id") }),
      ...(client_secret !== undefined && writer.record("auth", { CLIENT_SECRET: client_secret })),
      ...(scope !== undefined && { scopes: toScopes(writer.text("auth", scope, "scope")) }),
    },
  };
}

/** `read write` → `["read", "write"]` */
export function toScopes(scope: string): Json[] {
  return scope.split(" ");
}
