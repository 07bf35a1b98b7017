/** What the commands for other clients and for the registry print with --json. */
import type {
  ChangedClient,
  ClientInfo,
  ClientName,
  ClientPlan,
  ConnectPlan,
  ExportedServers,
  ImportableServer,
  ImportFile,
  JsonObject,
  RegistryChoice,
  RegistryHit,
  RegistrySearch,
  UnsupportedRegistryChoice,
} from "@plugboard/contracts";
import type { RequiredSecret } from "./config-outputs.ts";

/** Without a client, the clients of this machine. With a client, the change of its file. */
export type ConnectOutput = { readonly clients: readonly ClientInfo[] } | ConnectedClientOutput;

interface ConnectedClientOutput
  extends FileChange, Pick<ConnectPlan, "servers" | "imported" | "notes">, Pick<ChangedClient, "backup"> {
  /** none: the client is connected already. */
  readonly action: "add" | "change" | "none";
  /** Plugboard's entry in the format of the client, with masked headers. */
  readonly entry: JsonObject;
}

export interface DisconnectOutput extends FileChange {
  /** none: the client is not connected. */
  readonly action: "remove" | "restore" | "none";
}

interface FileChange extends Pick<ClientPlan, "client" | "scope" | "file" | "diff"> {
  /** Whether the file was written or deleted. */
  readonly written: boolean;
}

export interface ExportOutput extends ExportedServers {
  readonly client: ClientName;
}

export interface ImportOutput {
  readonly files: readonly (ImportedFile | UnreadableFile)[];
}

interface ImportedFile extends Pick<ImportFile, "client" | "file" | "skipped"> {
  readonly servers: readonly (Omit<ImportableServer, "key" | "plainEntry"> & {
    /** Whether the server was written. */
    readonly imported: boolean;
  })[];
}

interface UnreadableFile extends Pick<ImportFile, "client" | "file"> {
  readonly error: string;
}

export interface SearchOutput extends Omit<RegistrySearch, "servers"> {
  readonly servers: readonly FoundServer[];
}

interface FoundServer extends Omit<RegistryHit, "status" | "choices"> {
  readonly status: "active" | "deprecated";
  /** The ways to run the server. `plugboard add` takes the first supported one. */
  readonly choices: readonly (RunnableChoice | UnsupportedRegistryChoice)[];
}

interface RunnableChoice extends Pick<RegistryChoice, "label" | "inputs" | "variables"> {
  /** The server entry. Each input is replaced by its default or by a reference such as `${NAME}`. */
  readonly entry: JsonObject;
  /** The secrets that the entry refers to. */
  readonly secrets: readonly RequiredSecret[];
}
