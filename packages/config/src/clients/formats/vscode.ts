/** VS Code: JSON with comments, `servers`, and `inputs` that the user is asked for. */
import { isJsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import { VSCODE_VARIABLES } from "../placeholders/dialect.ts";
import { noteEnvFile } from "./cursor.ts";
import { appDataFolder, joinPath } from "./client-folders.ts";
import { sectionAt, withoutKeys } from "./section-at.ts";
import { writeRemote, writeStdio } from "./standard-entry.ts";

/** Settings of the editor, such as where an entry was installed from. */
const IGNORED_KEYS = ["envFile", "dev", "gallery", "version", "sandbox", "sandboxEnabled"];

export const vscode: Client = {
  name: "vscode",
  label: "VS Code",
  syntax: "json",
  files: (places) => [
    { path: joinPath(places, appDataFolder(places), "Code", "User", "mcp.json"), scope: "user" },
    { path: joinPath(places, places.project, ".vscode", "mcp.json"), scope: "project" },
  ],
  ownsPath: (path) => /(?:^|\/)(?:\.vscode|Code(?: - Insiders)?\/User|VSCodium\/User)\/mcp\.json$/.test(path),
  ownsDocument: (document) => Array.isArray(document["inputs"]) && isJsonObject(document["servers"]),
  serversPath: ["servers"],
  sections: (document) => sectionAt(document, "servers"),
  dialect: () => VSCODE_VARIABLES,
  read: (entry, _id, notes) => {
    noteEnvFile(entry, notes);
    if (entry["sandboxEnabled"] === true) notes.push("sandboxEnabled is left out; the server runs without a sandbox");
    return { entry: withoutKeys(entry, IGNORED_KEYS) };
  },
  write: (entry, writer) => {
    if (entry.enabled === false) return undefined;
    if (entry.transport === "stdio") return { type: "stdio", ...writeStdio(writer, { cwd: true }) };
    if (entry.transport !== "http" && entry.transport !== "sse") return undefined;
    const { client_id } = writer.oauth(["client_id"]) ?? {};
    const oauth = client_id === undefined ? {} : { oauth: { clientId: writer.text("oauth", client_id, "client_id") } };
    return { type: entry.transport, ...writeRemote(writer), ...oauth };
  },
  document: (servers, { inputs }) => ({
    ...(inputs.length > 0 && {
      inputs: inputs.map((id) => ({ type: "promptString", id, description: id, password: true })),
    }),
    servers,
  }),
};
