/**
 * Reads the servers of a file of another client as entries of Plugboard. Starts nothing, resolves no variable and
 * writes no file. A server that can't be imported is listed with the reason.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, ServerEntry } from "@plugboard/contracts";
import type { ServerDefinition } from "../definition/definition.ts";
import { MAX_PROJECT_SERVERS } from "../definition/project-limits.ts";
import type { ConfigScope } from "../files/find-scope-files.ts";
import { readConfigFile } from "../files/read-config-file.ts";
import type { Client, ClientPlaces, ServerSection } from "./formats/client.ts";
import { detectClient } from "./detect-client.ts";
import { readClientEntry } from "./read-client-entry.ts";
import type { EntryFacts } from "./entry/entry-notes.ts";
import { assignServerIds } from "./entry/assign-server-ids.ts";
import { parseDocument, syntaxOf } from "./syntax/parse-document.ts";

export interface ClientServers {
  readonly client: Client["name"];
  readonly label: string;
  readonly file: string;
  readonly servers: readonly ClientServer[];
  readonly skipped: readonly SkippedServer[];
}

export interface ClientServer extends EntryFacts {
  /** The id in Plugboard. */
  readonly id: string;
  readonly scope: ConfigScope;
  readonly enabled: boolean;
  /** In Plugboard's own spelling. */
  readonly entry: ServerEntry;
  /** Undefined for an entry that only enables or disables a server of another layer. */
  readonly definition: ServerDefinition | undefined;
}

interface SkippedServer {
  /** The name in the client's file. */
  readonly name: string;
  readonly reason: string;
}

export interface ReadClientFileOptions extends Pick<ClientPlaces, "project" | "platform"> {
  /** By default, the client is recognised by the path or the content. */
  readonly client?: Client;
  /** The scope of servers for which the file names none. */
  readonly scope: ConfigScope;
  /** Whether all servers get `scope`, even if the file names another scope. */
  readonly forceScope?: boolean;
}

/** Returns undefined for a missing file. Throws CONFIG_INVALID for a file that can't be read. */
export async function readClientFile(file: string, options: ReadClientFileOptions): Promise<ClientServers | undefined> {
  const text = await readConfigFile(file);
  return text === undefined ? undefined : readClientText(file, text, options);
}

export async function readClientText(
  file: string,
  text: string,
  options: ReadClientFileOptions,
): Promise<ClientServers> {
  const document = await parseDocument(file, text, options.client?.syntax ?? syntaxOf(file));
  return readClientDocument(file, document, options.client ?? detectClient(file, document), options);
}

export function readClientDocument(
  file: string,
  document: JsonObject,
  client: Client,
  options: ReadClientFileOptions,
): ClientServers {
  const servers: ClientServer[] = [];
  const skipped: SkippedServer[] = [];
  const takenIds = { user: new Set<string>(), project: new Set<string>(), local: new Set<string>() };
  const sections = client.sections(document, options);
  rejectTooManyServers(file, sections);
  for (const section of sections) {
    const scope = options.forceScope ? options.scope : (section.scope ?? options.scope);
    const ids = assignServerIds(Object.keys(section.servers), takenIds[scope]);
    for (const [name, raw] of Object.entries(section.servers)) {
      const id = ids.get(name)!;
      const read = readClientEntry(raw, id, client, file, { ...options, scope });
      if ("skip" in read) {
        skipped.push({ name, reason: read.skip });
        continue;
      }
      const { entry, definition, plainSecrets } = read;
      const notes =
        id === name ? read.notes : [`its name in ${client.label} is ${JSON.stringify(name)}`, ...read.notes];
      servers.push({ id, scope, enabled: entry.enabled ?? true, entry, definition, notes, plainSecrets });
    }
  }
  return { client: client.name, label: client.label, file, servers, skipped };
}

/** Limits the number of servers, because validating each takes time. */
function rejectTooManyServers(file: string, sections: readonly ServerSection[]): void {
  const count = sections.reduce((sum, { servers }) => sum + Object.keys(servers).length, 0);
  if (count <= MAX_PROJECT_SERVERS) return;
  const reason = `it has ${count} servers; the limit is ${MAX_PROJECT_SERVERS}`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}
