/** Writes the entry by which a client uses Plugboard, and recognises such entries. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, ServerEntry } from "@plugboard/contracts";
import { parseGatewayCommand, parseGatewayUrl } from "../definition/gateway-link.ts";
import type { GatewayLink } from "../definition/gateway-link.ts";
import type { DocumentChange } from "./documents/edit-document.ts";
import { EntryWriter } from "../clients/entry/entry-writer.ts";
import type { Client } from "../clients/formats/client.ts";
import { CLIENT_TRAITS } from "./client-traits.ts";

/** The name of Plugboard's entry in the files of clients. */
export const ENTRY_NAME = "plugboard";

/** A program that the client starts, or a URL that it requests. */
export type GatewayTarget =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[]; readonly env: StringMap }
  | { readonly kind: "http"; readonly url: string; readonly headers: StringMap };

interface StringMap {
  readonly [name: string]: string;
}

/** Returns the whole document of a new file. Returns undefined if the client can't use such a target. */
export function gatewayDocument(client: Client, target: GatewayTarget): JsonObject | undefined {
  const { kind, ...fields } = target;
  const entry = escapeReferences({ transport: kind, ...fields });
  const writer = new EntryWriter(entry, { ...client, showSecrets: true });
  const written = client.write(entry, writer);
  if (!written) return undefined;
  // Over HTTP the client does not wait: a host that is not running must not keep it from starting.
  const settings = kind === "stdio" ? firstTurnSettings(client) : {};
  return client.document({ [ENTRY_NAME]: { ...written, ...settings } }, { disabled: [], inputs: [] });
}

/** Returns the settings by which the client waits for Plugboard before its first turn. */
function firstTurnSettings({ name }: Client): JsonObject {
  return name === "other" ? {} : (CLIENT_TRAITS[name].firstTurn ?? {});
}

/** Returns how an entry of any client leads to Plugboard, or undefined if it does not. */
export function readGatewayEntry(entry: Json | undefined, name: string): GatewayLink | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { command, cmd, args, url, httpUrl, serverUrl, uri } = entry;
  const program = isJsonObject(command) ? [command["path"], ...listOf(command["args"])] : listOf(command ?? cmd);
  const words = [...program, ...listOf(args)].filter((word) => typeof word === "string");
  const address = [httpUrl, serverUrl, url, uri].find((value) => typeof value === "string");
  if (address === undefined) return parseGatewayCommand(words);
  // Any program may listen on a port of this machine, so the name of the entry must match, too.
  const link = name === ENTRY_NAME ? parseGatewayUrl(address) : undefined;
  return link && { kind: link.kind, ...(link.profile !== undefined && { profile: link.profile }) };
}

/** Returns the entries of a section that lead to Plugboard, by name. */
export function findGatewayEntries(servers: Json | undefined): Map<string, GatewayLink> {
  const found = new Map<string, GatewayLink>();
  if (!isJsonObject(servers)) return found;
  for (const [name, entry] of Object.entries(servers)) {
    const link = readGatewayEntry(entry, name);
    if (link) found.set(name, link);
  }
  return found;
}

/**
 * Returns the changes that turn the old entry into the new one. Keeps settings that the user has added, such as a
 * timeout, if both reach Plugboard in the same way.
 */
export function changeEntry(
  client: Client,
  path: readonly string[],
  old: Json | undefined,
  entry: JsonObject,
): DocumentChange[] {
  const isSameKind = readGatewayEntry(old, ENTRY_NAME)?.kind === readGatewayEntry(entry, ENTRY_NAME)?.kind;
  if (!isJsonObject(old) || !isSameKind) return [{ path, value: entry }];
  // A disabled entry becomes enabled again.
  const switches = ["enabled", "disabled"].filter((key) => key in old && !(key in entry));
  const settings = firstTurnSettings(client);
  const written = Object.entries(entry).filter(([key]) => !(key in settings && key in old));
  const set = written.map(([key, value]) => {
    const oldValue = old[key];
    const merged = isJsonObject(value) && isJsonObject(oldValue) ? { ...oldValue, ...value } : value;
    return { path: [...path, key], value: merged };
  });
  return [...switches.map((key) => ({ path: [...path, key], value: undefined })), ...set];
}

/** Returns the token in the headers of an entry. */
export function tokenOf(entry: Json | undefined): string | undefined {
  const { headers, http_headers } = isJsonObject(entry) ? entry : {};
  const { Authorization: value } = [headers, http_headers].find((map) => isJsonObject(map)) ?? {};
  return typeof value === "string" ? /^Bearer (\S+)$/.exec(value)?.[1] : undefined;
}

function listOf(value: Json | undefined): readonly (Json | undefined)[] {
  return Array.isArray(value) ? value : [value];
}

/** Writes `$${` for `${` in a path, which would otherwise be a reference in Plugboard's spelling. */
function escapeReferences(entry: object): ServerEntry {
  return JSON.parse(JSON.stringify(entry).replaceAll("${", "$${")) as ServerEntry;
}
