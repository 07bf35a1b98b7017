/** opencode: JSON with comments. The servers are in `mcp`, in newer versions in `mcp.servers`. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Client, ConvertedEntry } from "./client.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { ENV_AND_FILE } from "../placeholders/dialect.ts";
import { joinPath, xdgFolder } from "./client-folders.ts";
import { withoutKeys } from "./section-at.ts";
import { writeRemote, writeStdio } from "./standard-entry.ts";

const FILES = ["opencode.json", "opencode.jsonc"];

export const opencode: Client = {
  name: "opencode",
  label: "opencode",
  syntax: "json",
  files: (places) => [
    ...FILES.map((name) => ({ path: joinPath(places, xdgFolder(places), "opencode", name), scope: "user" as const })),
    ...FILES.map((name) => ({ path: joinPath(places, places.project, name), scope: "project" as const })),
  ],
  ownsPath: (path) => /(?:^|\/)opencode\.jsonc?$/.test(path),
  ownsDocument: (document) => Object.values(serversOf(document)).some(hasOwnType),
  serversPath: ["mcp"],
  serversPathIn: ({ mcp }) => (hasServersKey(mcp) ? ["mcp", "servers"] : ["mcp"]),
  sections: (document) => [{ servers: serversOf(document) }],
  dialect: () => ENV_AND_FILE,
  read: (entry, _id, notes) => {
    if (!isJsonObject(entry["oauth"]) && entry["oauth"] !== undefined) delete entry["oauth"];
    const { timeout, type, ...rest } = entry;
    if (timeout !== undefined && typeof timeout !== "number") notes.push("timeout is left out");
    const startup = typeof timeout === "number" ? { startup_timeout_ms: timeout } : {};
    return type === "local" ? readLocal(rest, startup) : { entry: { ...rest, ...startup } };
  },
  write: (entry, writer) => {
    const timeout = writer.take("startup_timeout_ms");
    const common = {
      ...(entry.enabled === false && { enabled: false }),
      ...(timeout !== undefined && { timeout }),
    };
    if (entry.transport === "stdio") {
      const { command, args, env, ...rest } = writeStdio(writer, { cwd: true });
      const words = [command, ...(Array.isArray(args) ? args : [])] as Json[];
      return { type: "local", command: words, ...rest, ...(env && { environment: env }), ...common };
    }
    if (entry.transport !== "http") return undefined;
    return { type: "remote", ...writeRemote(writer), ...writeOauth(writer), ...common };
  },
  document: (mcp) => ({ $schema: "https://opencode.ai/config.json", mcp }),
};

function serversOf({ mcp }: JsonObject): JsonObject {
  if (!isJsonObject(mcp)) return {};
  return hasServersKey(mcp) ? (mcp["servers"] as JsonObject) : mcp;
}

/** Returns true for the newer format. A server may be called "servers", too. */
function hasServersKey(mcp: Json | undefined): boolean {
  return isJsonObject(mcp) && isJsonObject(mcp["servers"]) && !hasOwnType(mcp["servers"]);
}

function hasOwnType(entry: Json | undefined): boolean {
  return isJsonObject(entry) && (entry["type"] === "local" || entry["type"] === "remote");
}

function readLocal(entry: JsonObject, startup: JsonObject): ConvertedEntry {
  const { command } = entry;
  if (!Array.isArray(command) || command.length === 0) return { skip: '"command" is not a list' };
  const [program, ...args] = command;
  return { entry: { ...withoutKeys(entry, ["command"]), command: program!, args, ...startup } };
}

function writeOauth(writer: EntryWriter): JsonObject {
  const { client_id, client_secret, scope } = writer.oauth(["client_id", "client_secret", "scope"]) ?? {};
  const oauth = {
    ...(client_id !== undefined && { clientId: writer.text("oauth", client_id, "client_id") }),
    ...(client_secret !== undefined && writer.record("oauth", { clientSecret: client_secret })),
    ...(scope !== undefined && { scope: writer.text("oauth", scope, "scope") }),
  };
  return Object.keys(oauth).length === 0 ? {} : { oauth };
}
