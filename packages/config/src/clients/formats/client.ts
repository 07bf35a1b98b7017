/**
 * Describes another MCP client: where its files are, how they are written, and how an entry of its servers is
 * converted to an entry of Plugboard and back. `client-table.ts` lists the clients.
 */
import type { ClientName, ClientScope, Env, JsonObject, ServerEntry } from "@plugboard/contracts";
import type { ConfigScope } from "../../files/find-scope-files.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import type { Dialect } from "../placeholders/dialect.ts";
import type { Syntax } from "../syntax/parse-document.ts";

/** The folders and variables that determine the paths of a client's files. */
export interface ClientPlaces {
  readonly home: string;
  /** The folder whose project files are read. */
  readonly project: string;
  readonly env: Env;
  readonly platform: NodeJS.Platform;
}

export interface ClientFile {
  readonly path: string;
  readonly scope: ClientScope;
}

/** A part of a file that defines servers. */
export interface ServerSection {
  /** Defaults to the scope of the file. */
  readonly scope?: ConfigScope;
  readonly servers: JsonObject;
}

export interface ReadContext extends Pick<ClientPlaces, "project" | "platform"> {
  readonly scope: ConfigScope;
}

/** An entry in a spelling that Plugboard reads, or the reason why the server can't be imported. */
export type ConvertedEntry = { readonly entry: JsonObject } | { readonly skip: string };

export interface Client {
  readonly name: ClientName | "other";
  readonly label: string;
  readonly syntax: Syntax;
  /** Returns the possible paths. A later file of the same scope has priority over an earlier one. */
  readonly files: (places: ClientPlaces) => readonly ClientFile[];
  /** Returns whether the path of a file shows that it belongs to this client. Path separators are `/`. */
  readonly ownsPath: (path: string) => boolean;
  /** Returns whether the content of a file shows that it belongs to this client. */
  readonly ownsDocument: (document: JsonObject) => boolean;
  /** The keys that lead to the servers in a new file. */
  readonly serversPath: readonly string[];
  /** The keys that lead to the servers in an existing document, if they may differ from those in a new file. */
  readonly serversPathIn?: (document: JsonObject) => readonly string[];
  readonly sections: (document: JsonObject, context: ReadContext) => readonly ServerSection[];
  /** Returns how the values below a key of an entry refer to variables. */
  readonly dialect: (key: string) => Dialect;
  /**
   * Converts an entry whose references are already in Plugboard's syntax. Adds a note for each setting that is lost.
   */
  readonly read: (entry: JsonObject, id: string, notes: string[]) => ConvertedEntry;
  /** Writes an entry in the client's spelling. Returns undefined if the client can't use such a server. */
  readonly write: (entry: ServerEntry, writer: EntryWriter) => JsonObject | undefined;
  /** Returns the whole document with these servers. */
  readonly document: (servers: JsonObject, extras: DocumentExtras) => JsonObject;
}

/** The parts of a client's file besides the entries of servers. */
interface DocumentExtras {
  /** The ids of disabled servers, for a client that lists them outside the entries. */
  readonly disabled: readonly string[];
  /** The names of secrets that the client asks for. */
  readonly inputs: readonly string[];
}
