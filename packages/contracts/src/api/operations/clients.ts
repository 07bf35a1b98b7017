/** Connects other clients to Plugboard, by their config files. */
import { oneOf, options, text } from "../methods/argument-checks.ts";
import { CLIENT_NAMES } from "./client-names.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ClientName } from "./client-names.ts";

export interface ClientOperations {
  /** Lists other clients on this machine, and which of them are connected to Plugboard. */
  clients(): Promise<ClientInfo[]>;
  /** Shows how to connect a client by hand. */
  connectInstructions(client: ClientName, options?: ConnectClientOptions): Promise<ConnectInstructions>;
  /** Shows the change of a client's file that connects it. */
  planConnect(client: ClientName, options?: ConnectClientOptions): Promise<ClientPlan>;
  /** Shows the change of a client's file that disconnects it. Restores a file that nobody has changed since. */
  planDisconnect(client: ClientName): Promise<ClientPlan>;
  /** Writes the planned change of a client's file. Throws NOT_FOUND for an expired plan. */
  changeClient(plan: string): Promise<void>;
}

const client = oneOf(...CLIENT_NAMES);

/** How the methods are called from another process. */
export const CLIENT_OPERATIONS: OperationTable<ClientOperations> = {
  clients: { right: "manage", params: [] },
  connectInstructions: { right: "manage", params: [client, options({ profile: text })] },
  planConnect: { right: "manage", params: [client, options({ profile: text })] },
  planDisconnect: { right: "manage", params: [client] },
  changeClient: { right: "manage", params: [text] },
};

export interface ClientInfo {
  readonly client: ClientName;
  readonly label: string;
  readonly installed: boolean;
  /** The files with an entry that leads to Plugboard. */
  readonly connectedBy: readonly string[];
}

export interface ConnectClientOptions {
  /** The profile that the client gets. By default all servers. */
  readonly profile?: string;
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
  readonly label: string;
  readonly file: string;
  readonly action: "add" | "change" | "remove" | "restore" | "none";
  readonly diff: readonly { readonly kind: "context" | "added" | "removed"; readonly text: string }[];
  readonly notes: readonly string[];
}
