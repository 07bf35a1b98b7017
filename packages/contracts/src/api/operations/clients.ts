/** Connects other clients to Plugboard, by their config files. */
import { flag, oneOf, options, text, wholeNumber } from "../methods/argument-checks.ts";
import { CLIENT_NAMES } from "./client-names.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ClientName } from "./client-names.ts";
import type { Json } from "../../lib/json.ts";

export interface ClientOperations {
  /** Lists other clients with their files, and how they are connected to Plugboard. */
  clients(): Promise<ClientInfo[]>;
  /** Shows how to connect a client by hand. */
  connectInstructions(client: ClientName, options?: InstructionsOptions): Promise<ConnectInstructions>;
  /**
   * Shows the change of a client's file that connects it. Throws USAGE for an unknown profile, and if the client can't
   * be connected in this way.
   */
  planConnect(client: ClientName, options?: ConnectClientOptions): Promise<ConnectPlan>;
  /** Shows the change of a client's file that disconnects it. */
  planDisconnect(client: ClientName, options?: DisconnectClientOptions): Promise<ClientPlan>;
  /**
   * Writes the planned change of a client's file. Creates the client's token if its entry needs a new one, and revokes
   * the one that it no longer uses. Throws NOT_FOUND for an expired or applied plan.
   */
  changeClient(plan: string): Promise<ChangedClient>;
}

const client = oneOf(...CLIENT_NAMES);
const scope = oneOf("user", "project");

/** How the methods are called from another process. */
export const CLIENT_OPERATIONS: OperationTable<ClientOperations> = {
  clients: { right: "manage", params: [] },
  connectInstructions: { right: "manage", params: [client, options({ profile: text })] },
  planConnect: { right: "manage", params: [client, options({ profile: text, scope, http: flag, port: wholeNumber })] },
  planDisconnect: { right: "manage", params: [client, options({ scope, restore: flag })] },
  changeClient: { right: "manage", params: [text] },
};

/** Whether a file of a client applies everywhere or in one project. */
export type ClientScope = "user" | "project";

export interface ClientInfo {
  readonly client: ClientName;
  readonly label: string;
  /** True if a program, a file or the config folder of the client was found. */
  readonly installed: boolean;
  /** The path of its program or application. */
  readonly program?: string;
  /** The files that exist. */
  readonly files: readonly ClientFileInfo[];
}

export interface ClientFileInfo {
  readonly file: string;
  readonly scope: ClientScope;
  /** The entries that lead to Plugboard. */
  readonly connections: readonly ClientConnection[];
  /** The reason why the file can't be read. */
  readonly error?: string;
}

export interface ClientConnection {
  /** The name of the entry. */
  readonly name: string;
  readonly kind: "stdio" | "http";
  readonly profile?: string;
}

export interface InstructionsOptions {
  /** The profile that the client gets. By default all servers. */
  readonly profile?: string;
}

export interface ConnectClientOptions extends InstructionsOptions {
  /** By default `user`. */
  readonly scope?: ClientScope;
  /** True if the client uses the URL of the host and a token of its own, instead of a command. */
  readonly http?: boolean;
  /** The port of the URL. By default that of the running host, or else 7431. Only with `http`. */
  readonly port?: number;
}

export interface DisconnectClientOptions {
  /** By default the scope that has an entry. */
  readonly scope?: ClientScope;
  /** True if the file is replaced with its backup. Throws USAGE if the file has changed since it was connected. */
  readonly restore?: boolean;
}

export interface ConnectInstructions {
  readonly label: string;
  /** The file in which the client looks for its servers. */
  readonly file: string;
  /** The text of such a file with nothing but Plugboard, by command and by URL. `<token>` stands for a token. */
  readonly snippets: readonly { readonly transport: "stdio" | "http"; readonly text: string }[];
  /** What the user has to know or do. */
  readonly notes: readonly string[];
}

export interface ClientPlan {
  readonly plan: string;
  readonly client: ClientName;
  readonly label: string;
  readonly scope: ClientScope;
  /** The path as the client knows it. */
  readonly file: string;
  /** The file that is written, if the path is a symbolic link. */
  readonly linkTo?: string;
  /** `none`: the file needs no change. */
  readonly action: "add" | "change" | "remove" | "restore" | "none";
  /** True if the change deletes the file, because Plugboard has created it. */
  readonly deletes: boolean;
  /** The change, with masked values. Never has a token. */
  readonly diff: readonly DiffLine[];
  readonly notes: readonly string[];
}

export interface DiffLine {
  readonly kind: "context" | "added" | "removed";
  readonly text: string;
}

export interface ConnectPlan extends ClientPlan {
  /** True if the client was found on this machine. */
  readonly installed: boolean;
  /** Plugboard's entry, with masked headers. */
  readonly entry: Json;
  /** The servers that the client starts itself, by the ids that an import gives them. */
  readonly servers: readonly string[];
  /** The servers among them that Plugboard already has, with the same definition. */
  readonly imported: readonly string[];
}

export interface ChangedClient {
  /** The copy of the file before Plugboard's first change. Absent if the file did not exist. */
  readonly backup?: string;
}
