/** Goose: YAML with `extensions`. Its own extensions are not servers. It keeps secrets in its own keyring. */
import type { EntryValue, Json, JsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { NO_PLACEHOLDERS, SHELL_WITHOUT_DEFAULT } from "../placeholders/dialect.ts";
import { appDataFolder, joinPath } from "./client-folders.ts";
import { hasObject, objectOf, sectionAt, withoutKeys } from "./section-at.ts";
import { xdgFolder } from "./client-folders.ts";
import { writeRemote, writeSeconds, writeStdio, writeTools } from "./standard-entry.ts";

const TRANSPORTS: { readonly [type: string]: string } = { stdio: "stdio", streamable_http: "http", sse: "sse" };
const IGNORED_KEYS = ["name", "description", "display_name", "bundled", "type", "config", "socket", "default_enabled"];

export const goose: Client = {
  name: "goose",
  label: "Goose",
  syntax: "yaml",
  files: (places) => {
    const folder =
      places.platform === "win32"
        ? joinPath(places, appDataFolder(places), "Block", "goose", "config")
        : joinPath(places, xdgFolder(places), "goose");
    return [{ path: joinPath(places, folder, "config.yaml"), scope: "user" }];
  },
  ownsPath: (path) => /(?:^|\/)goose\/(?:config\/)?config\.ya?ml$/.test(path),
  ownsDocument: (document) => hasObject(document, "extensions") && !hasObject(document, "mcpServers"),
  serversPath: ["extensions"],
  sections: (document) => sectionAt(document, "extensions"),
  dialect: (key) => (key === "headers" ? SHELL_WITHOUT_DEFAULT : NO_PLACEHOLDERS),
  read: (raw, _id, notes) => {
    const entry = { ...raw, ...objectOf(raw["config"]) };
    const type = typeof entry["type"] === "string" ? entry["type"] : "";
    const transport = Object.hasOwn(TRANSPORTS, type) ? TRANSPORTS[type] : undefined;
    if (transport === undefined) return { skip: `it is an extension of Goose itself (${type || "without a type"})` };
    const { cmd, uri, envs, env_keys, timeout, available_tools, ...rest } = withoutKeys(entry, IGNORED_KEYS);
    const env = { ...objectOf(envs), ...(transport === "stdio" && readEnvKeys(env_keys, notes)) };
    return {
      entry: {
        ...rest,
        transport,
        ...(cmd !== undefined && { command: cmd }),
        ...(uri !== undefined && { url: uri }),
        ...(transport === "stdio" && Object.keys(env).length > 0 && { env }),
        ...(typeof timeout === "number" && { request_timeout_ms: timeout * 1000 }),
        ...(Array.isArray(available_tools) && available_tools.length > 0 && { tools: { include: available_tools } }),
      },
    };
  },
  write: (entry, writer) => {
    const isStdio = entry.transport === "stdio";
    if (!isStdio && entry.transport !== "http") return undefined;
    // Goose has no settings for a login.
    writer.oauth([]);
    const timeout = writeSeconds(writer, "request_timeout_ms");
    return {
      enabled: entry.enabled !== false,
      type: isStdio ? "stdio" : "streamable_http",
      ...(isStdio ? writeProgram(writer, entry.env ?? {}) : writeRemote(writer, "uri")),
      ...(timeout !== undefined && { timeout }),
      ...writeTools(writer, "available_tools", undefined),
    };
  },
  // Goose requires a name in every extension.
  document: (servers) => ({
    extensions: Object.fromEntries(
      Object.entries(servers).map(([name, entry]) => [name, { name, ...objectOf(entry) }]),
    ),
  }),
};

/** The values of these variables are in the keyring of Goose, which Plugboard can't read. */
function readEnvKeys(keys: Json | undefined, notes: string[]): JsonObject {
  const names = Array.isArray(keys) ? keys.filter((name) => typeof name === "string") : [];
  for (const name of names) notes.push(`${name}: Goose keeps its value; set it: plugboard secret set ${name}`);
  return Object.fromEntries(names.map((name) => [name, { $secret: name }]));
}

/** Writes a variable to `env_keys` if its value is the secret of the same name. */
function writeProgram(writer: EntryWriter, env: { readonly [name: string]: EntryValue }): JsonObject {
  const isKey = ([name, value]: [string, EntryValue]) =>
    typeof value === "object" && "$secret" in value && value.$secret === name;
  const keys = Object.entries(env)
    .filter(isKey)
    .map(([name]) => name);
  const others = Object.fromEntries(Object.entries(env).filter((pair) => !isKey(pair)));
  const { command, args = [], env: envs } = writeStdio(writer, { cwd: false, env: others });
  return { cmd: command!, args, ...(envs && { envs }), ...(keys.length > 0 && { env_keys: keys }) };
}
