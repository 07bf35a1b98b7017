/** Zed: `context_servers` in its settings, JSON with comments. It expands no placeholders. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import { NO_PLACEHOLDERS } from "../placeholders/dialect.ts";
import { appDataFolder, joinPath } from "./client-folders.ts";
import { hasObject, sectionAt, withoutKeys } from "./section-at.ts";
import { xdgFolder } from "./client-folders.ts";
import { writeRemote, writeSeconds, writeStdio } from "./standard-entry.ts";

export const zed: Client = {
  name: "zed",
  label: "Zed",
  syntax: "json",
  files: (places) => {
    const isWindows = places.platform === "win32";
    const folder = isWindows
      ? joinPath(places, appDataFolder(places), "Zed")
      : joinPath(places, xdgFolder(places), "zed");
    return [
      { path: joinPath(places, folder, "settings.json"), scope: "user" },
      { path: joinPath(places, places.project, ".zed", "settings.json"), scope: "project" },
    ];
  },
  ownsPath: (path) => /(?:^|\/)\.?zed\/settings\.json$/i.test(path),
  ownsDocument: (document) => hasObject(document, "context_servers"),
  serversPath: ["context_servers"],
  sections: (document) => sectionAt(document, "context_servers"),
  dialect: () => NO_PLACEHOLDERS,
  read: (entry) => {
    // These keys have no counterpart in Plugboard.
    const { timeout, ...rest } = withoutKeys(entry, ["source", "settings", "remote"]);
    const flat = { ...rest, ...flattenCommand(rest) };
    if (flat["command"] === undefined && flat["url"] === undefined)
      return { skip: "an extension of Zed provides it, and only its settings are in the file" };
    // Zed counts the timeout in seconds.
    return { entry: { ...flat, ...(typeof timeout === "number" && { request_timeout_ms: timeout * 1000 }) } };
  },
  write: (entry, writer) => {
    const isStdio = entry.transport === "stdio";
    if (!isStdio && entry.transport !== "http") return undefined;
    // Zed has no settings for a login, so the settings of the entry are noted as lost.
    writer.oauth([]);
    const timeout = writeSeconds(writer, "request_timeout_ms");
    return {
      ...(isStdio ? writeStdio(writer, { cwd: false }) : writeRemote(writer)),
      ...(entry.enabled === false && { enabled: false }),
      ...(timeout !== undefined && { timeout }),
    };
  },
  document: (context_servers) => ({ context_servers }),
};

/** Reads the format of older versions of Zed: `"command": { "path", "args", "env" }`. */
function flattenCommand({ command }: JsonObject): JsonObject {
  if (!isJsonObject(command)) return {};
  const { path, args, env } = command;
  return {
    ...(path !== undefined && { command: path }),
    ...(args !== undefined && { args }),
    ...(env !== undefined && env !== null && { env }),
  };
}
