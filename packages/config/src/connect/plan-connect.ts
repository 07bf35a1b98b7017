/** Plans the change of a client's file that connects the client to Plugboard. Writes nothing. */
import { HostError, isHostError, isJsonObject } from "@plugboard/contracts";
import type { ClientName, ClientPlan, ClientScope, ConnectPlan, JsonObject } from "@plugboard/contracts";
import { CLIENTS } from "../clients/client-table.ts";
import { editDocument, valueAt } from "./documents/edit-document.ts";
import type { Client, ClientPlaces } from "../clients/formats/client.ts";
import { readClientDocument } from "../clients/read-client-file.ts";
import { formatDocument } from "../clients/syntax/format-document.ts";
import { planImport } from "../transfer/plan-import.ts";
import { chooseClientFile } from "./choose-client-file.ts";
import type { InspectedClientFile } from "./choose-client-file.ts";
import { CLIENT_TRAITS } from "./client-traits.ts";
import { diffFile, maskHeaders } from "./diff-file.ts";
import { changeEntry, ENTRY_NAME, gatewayDocument, tokenOf } from "./gateway-entry.ts";
import type { GatewayTarget } from "./gateway-entry.ts";

/** A change of a client's file that was not written yet. */
export interface FileChange extends Pick<ClientPlan, "client" | "label" | "scope" | "file" | "action" | "diff"> {
  /** The file that is written: the target if the path is a symbolic link. */
  readonly realPath: string;
  /** The text of the file. Undefined if it does not exist. */
  readonly before: string | undefined;
  /** Undefined if the file is deleted. */
  readonly after: string | undefined;
  /** The number of parent keys that are added together with the entry. */
  readonly addedParents: number;
  /** The token of the entry before the change. */
  readonly oldToken: string | undefined;
}

export interface ConnectChange extends FileChange, Pick<ConnectPlan, "entry" | "servers" | "imported"> {
  /** Messages about settings that keep the client from using the entry, and about the user's next step. */
  readonly notes: readonly string[];
}

/** Throws USAGE if the client can't use the target, and CONFIG_INVALID for a file that can't be changed. */
export async function planConnect(
  name: ClientName,
  scope: ClientScope,
  target: GatewayTarget,
  places: ClientPlaces,
): Promise<ConnectChange> {
  const client = CLIENTS[name];
  const document = gatewayDocument(client, target);
  if (!document) {
    const message = `${client.label} can't use a URL from its file; leave out --http`;
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  const entry = valueAt(document, [...client.serversPath, ENTRY_NAME]) as JsonObject;
  const file = await chooseClientFile(client, scope, places);
  if (file.error) throw file.error;
  const path = [...file.serversPath, ENTRY_NAME];
  const old = valueAt(file.document, path);
  if (old !== undefined && !file.links.has(ENTRY_NAME)) throw nameTakenError(file, client);
  const after =
    file.text === undefined
      ? await formatDocument(document, client.syntax)
      : await editDocument(file.path, file.text, client.syntax, changeEntry(client, path, old, entry));
  const action = after === file.text ? "none" : old === undefined ? "add" : "change";
  return {
    client: name,
    label: client.label,
    scope,
    file: file.path,
    realPath: file.realPath,
    action,
    before: file.text,
    after,
    addedParents: countMissing(file.document, file.serversPath),
    diff: diffFile(file.text, after, client.syntax, [entry, old]),
    oldToken: tokenOf(old),
    entry: maskHeaders(entry)!,
    ...(await findOwnServers(client, file, places)),
    notes: [...findObstacles(client, file), nextStep(name, scope)],
  };
}

function nameTakenError(file: InspectedClientFile, { label }: Client): HostError {
  const message = `${file.path} has another server called "${ENTRY_NAME}". Rename or remove it in ${label} first`;
  return new HostError("USAGE", { message, omitHelp: true });
}

/** Returns how many of the keys do not exist. */
function countMissing(document: JsonObject, path: readonly string[]): number {
  return path.filter((_, index) => !isJsonObject(valueAt(document, path.slice(0, index + 1)))).length;
}

/** Returns the enabled servers of the file, without Plugboard, and which of them were imported already. */
async function findOwnServers(
  client: Client,
  file: InspectedClientFile,
  { project, platform, env }: ClientPlaces,
): Promise<Pick<ConnectChange, "servers" | "imported">> {
  const read = readClientDocument(file.path, file.document, client, { project, platform, scope: file.scope });
  const own = { ...read, servers: read.servers.filter(({ enabled, definition }) => enabled && definition) };
  const servers = own.servers.map(({ id }) => id);
  if (servers.length === 0) return { servers, imported: [] };
  try {
    const [planned] = await planImport([own], { cwd: project, env, replace: false });
    return { servers, imported: planned!.servers.flatMap(({ id, action }) => (action === "none" ? [id] : [])) };
  } catch (error) {
    // Plugboard's own config is invalid, which does not matter here. The import reports it.
    if (isHostError(error)) return { servers, imported: [] };
    throw error;
  }
}

function findObstacles(client: Client, { document, links }: InspectedClientFile): string[] {
  const others = [...links.keys()].filter((name) => name !== ENTRY_NAME);
  return [
    ...others.map((name) => `"${name}" in this file is Plugboard, too; remove it, or its tools appear twice.`),
    ...(client.name === "gemini" ? findGeminiObstacles(document) : []),
  ];
}

/** Gemini CLI has lists of the servers that it may use. */
function findGeminiObstacles({ mcp }: JsonObject): string[] {
  const { allowed, excluded } = isJsonObject(mcp) ? mcp : {};
  const isMissing = Array.isArray(allowed) && allowed.length > 0 && !allowed.includes(ENTRY_NAME);
  return [
    ...(isMissing ? [`Add "${ENTRY_NAME}" to mcp.allowed in this file, or Gemini CLI does not use it.`] : []),
    ...(Array.isArray(excluded) && excluded.includes(ENTRY_NAME)
      ? [`Remove "${ENTRY_NAME}" from mcp.excluded in this file, or Gemini CLI does not use it.`]
      : []),
  ];
}

export function nextStep(name: ClientName, scope: ClientScope): string {
  const { next, nextInProject } = CLIENT_TRAITS[name];
  return scope === "project" ? (nextInProject ?? next) : next;
}
