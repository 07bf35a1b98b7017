/** Plans the change of a client's file that disconnects the client from Plugboard. Writes nothing. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ClientName, ClientScope, JsonObject } from "@plugboard/contracts";
import { canonicalDigest } from "@plugboard/store";
import { CLIENTS } from "../clients/client-table.ts";
import { editDocument, parseOrEmpty, valueAt } from "./documents/edit-document.ts";
import type { Client, ClientPlaces } from "../clients/formats/client.ts";
import { chooseClientFile, inspectClientFiles } from "./choose-client-file.ts";
import type { InspectedClientFile } from "./choose-client-file.ts";
import type { ConnectionRecord, ConnectionRecords } from "./connection-records.ts";
import { diffFile } from "./diff-file.ts";
import { ENTRY_NAME, findGatewayEntries, tokenOf } from "./gateway-entry.ts";
import type { FileChange } from "./plan-connect.ts";

interface DisconnectOptions {
  /** By default the scope that has an entry. */
  readonly scope: ClientScope | undefined;
  /** The path of the file with the entry. By default the first file that has one. */
  readonly file?: string;
  /** Whether to replace the file with its backup. This is possible only if the file is as Plugboard has written it. */
  readonly restore: boolean;
}

/** Throws CONFIG_INVALID for a file that can't be changed, and USAGE for a backup that can't be restored. */
export async function planDisconnect(
  name: ClientName,
  { scope, restore, file: path }: DisconnectOptions,
  places: ClientPlaces,
  records: ConnectionRecords,
): Promise<FileChange> {
  const client = CLIENTS[name];
  const file = await findConnectedFile(client, scope, path, places);
  if (file.error) throw file.error;
  const record = await records.find(file.realPath);
  const { text: before, links } = file;
  const entry = valueAt(file.document, [...file.serversPath, ENTRY_NAME]);
  const after = restore
    ? await restoredText(client, file, record, records)
    : links.has(ENTRY_NAME)
      ? await textWithoutEntry(client, file, record, records)
      : before;
  return {
    client: name,
    label: client.label,
    scope: file.scope,
    file: file.path,
    realPath: file.realPath,
    action: after === before ? "none" : restore ? "restore" : "remove",
    before,
    after,
    addedParents: 0,
    diff: diffFile(before, after, client.syntax, [entry]),
    oldToken: tokenOf(entry),
  };
}

/** Returns the file with the entry, or else the one that an entry would be written to. */
async function findConnectedFile(
  client: Client,
  scope: ClientScope | undefined,
  path: string | undefined,
  places: ClientPlaces,
): Promise<InspectedClientFile> {
  const files = (await inspectClientFiles(client, places)).filter((file) => (path ?? file.path) === file.path);
  const connected = files.find((file) => (scope ?? file.scope) === file.scope && file.links.has(ENTRY_NAME));
  return connected ?? chooseClientFile(client, scope ?? "user", places);
}

/** Returns the earlier text if the file is as Plugboard has written it. Otherwise removes only the entry. */
async function textWithoutEntry(
  client: Client,
  file: InspectedClientFile,
  record: ConnectionRecord | undefined,
  records: ConnectionRecords,
): Promise<string | undefined> {
  if (record && isUnchanged(file, record)) {
    if (record.backup === undefined) return undefined;
    const earlier = await records.readBackup(record);
    if (earlier !== undefined && !(await hasEntry(client, file, earlier))) return earlier;
  }
  const { text = "", serversPath } = file;
  const removed = await editDocument(file.path, text, client.syntax, [
    { path: [...serversPath, ENTRY_NAME], value: undefined },
  ]);
  return removeAddedParents(client, file, removed, record?.addedParents ?? 0);
}

/** Removes the keys that `connect` has added on the way to the entry, if they are empty. */
async function removeAddedParents(
  client: Client,
  { path: filePath, serversPath }: InspectedClientFile,
  text: string,
  addedParents: number,
): Promise<string> {
  let rest = text;
  for (let length = serversPath.length; length > serversPath.length - addedParents; length--) {
    const path = serversPath.slice(0, length);
    const parent = valueAt(await parseOrEmpty(filePath, rest, client.syntax), path);
    if (!isJsonObject(parent) || Object.keys(parent).length > 0) break;
    rest = await editDocument(filePath, rest, client.syntax, [{ path, value: undefined }]);
  }
  return rest;
}

async function restoredText(
  client: Client,
  file: InspectedClientFile,
  record: ConnectionRecord | undefined,
  records: ConnectionRecords,
): Promise<string | undefined> {
  const fail = (reason: string) =>
    new HostError("USAGE", {
      message: `${reason}. Leave out --restore to remove only Plugboard's entry`,
      omitHelp: true,
    });
  if (!record) throw fail(`There is no backup of ${file.path}`);
  if (!isUnchanged(file, record)) {
    const copy = record.backup === undefined ? "" : ` (it is ${record.backup})`;
    throw fail(`${file.path} has changed since ${client.label} was connected, so its backup is not restored${copy}`);
  }
  if (record.backup === undefined) return undefined;
  const earlier = await records.readBackup(record);
  if (earlier === undefined) throw fail(`The backup ${record.backup} no longer exists`);
  return earlier;
}

function isUnchanged({ text }: InspectedClientFile, { written }: ConnectionRecord): boolean {
  return text !== undefined && canonicalDigest(text) === written;
}

/** Returns whether an earlier text of the file already had an entry of Plugboard. */
async function hasEntry(client: Client, file: InspectedClientFile, text: string): Promise<boolean> {
  const document: JsonObject = await parseOrEmpty(file.path, text, client.syntax);
  const serversPath = client.serversPathIn?.(document) ?? client.serversPath;
  return findGatewayEntries(valueAt(document, serversPath)).has(ENTRY_NAME);
}
