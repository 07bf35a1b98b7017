/** What the commands for other clients and for the registry print with --json. */
import type {
  ClientName,
  ClientPlan,
  EditableScope,
  FoundSecret,
  ImportableServer,
  JsonObject,
  RegistryInputField,
} from "@plugboard/contracts";
import type { RequiredSecret, RequiredVariable } from "./config-outputs.ts";

/** Without a client, the clients of this machine. With a client, the change of its file. */
export type ConnectOutput =
  | { readonly clients: readonly FoundClient[] }
  | (FileChange & {
      /** none: the client is connected already. */
      readonly action: "add" | "change" | "none";
      /** Plugboard's entry in the format of the client, with masked headers. */
      readonly entry: JsonObject;
      /** The copy of the file before the change. */
      readonly backup?: string;
      /** The servers that the client starts itself. */
      readonly servers: readonly string[];
      /** Those of them that Plugboard has, too, with the same definition. */
      readonly imported: readonly string[];
      readonly notes: readonly string[];
    });

export interface DisconnectOutput extends FileChange {
  /** none: the client is not connected. */
  readonly action: "remove" | "restore" | "none";
}

interface FileChange {
  readonly client: ClientName;
  readonly scope: "user" | "project";
  readonly file: string;
  /** Whether the file was written or deleted. */
  readonly written: boolean;
  /** The changed lines of the file and some lines around them. Values that Plugboard does not write are masked. */
  readonly diff: ClientPlan["diff"];
}

interface FoundClient {
  readonly client: ClientName;
  readonly label: string;
  /** Whether a program, a file or the config folder of the client was found. */
  readonly installed: boolean;
  /** The path of its program or application. */
  readonly program?: string;
  /** The config files that exist. */
  readonly files: readonly {
    readonly file: string;
    readonly scope: "user" | "project";
    /** The entries that lead to Plugboard. */
    readonly connections: readonly {
      readonly name: string;
      readonly kind: "stdio" | "http";
      readonly profile?: string;
    }[];
    /** The reason why the file can't be read. */
    readonly error?: string;
  }[];
}

export interface ExportOutput {
  readonly client: ClientName;
  /** The content of the client's config file. */
  readonly text: string;
  /** The servers in the text, with what the client can't do. */
  readonly servers: readonly { readonly id: string; readonly notes: readonly string[] }[];
  /** Servers that are not in the text. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}

export interface ImportOutput {
  readonly files: readonly (ImportedFile | UnreadableFile)[];
}

interface ImportedFile {
  readonly client: ClientName | "other";
  readonly file: string;
  readonly servers: readonly (Omit<ImportableServer, "key" | "plainEntry" | "secrets"> & {
    readonly scope: EditableScope;
    readonly enabled: boolean;
    /** Whether the server was written. */
    readonly imported: boolean;
    /** The secrets that are stored. The entry only refers to them. */
    readonly secrets: readonly FoundSecret[];
  })[];
  /** Servers that can't be imported. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface UnreadableFile {
  readonly client: ClientName | "other";
  readonly file: string;
  readonly error: string;
}

export interface SearchOutput {
  /** The URL of the registry. */
  readonly registry: string;
  /** How many servers were left out because the registry describes them in an invalid form. */
  readonly invalidCount: number;
  /** True if the registry may have more servers that match. */
  readonly hasMore: boolean;
  readonly servers: readonly RegistryServer[];
}

interface RegistryServer {
  /** The name for `plugboard add --from-registry`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly status: "active" | "deprecated";
  readonly statusMessage?: string;
  /** The URL of the source code. */
  readonly repository?: string;
  readonly website?: string;
  /** A suggestion for the id of the server. */
  readonly id: string;
  /** The ways to run the server. `plugboard add` takes the first supported one. */
  readonly choices: readonly (RunnableChoice | UnsupportedChoice)[];
}

interface RunnableChoice {
  readonly label: string;
  /** The server entry, with defaults and references in place of the inputs. */
  readonly entry: JsonObject;
  readonly inputs: readonly (RegistryInputField & {
    readonly where: "environment" | "header" | "argument" | "url";
  })[];
  /** The secrets that the entry refers to. */
  readonly secrets: readonly RequiredSecret[];
  /** The environment variables that the entry refers to. */
  readonly variables: readonly RequiredVariable[];
}

interface UnsupportedChoice {
  readonly label: string;
  /** Why Plugboard can't run it. */
  readonly unsupported: string;
}
