/** Approves the servers of a project's config, and withdraws approvals. Running hosts notice the change. */
import { optional, text, texts } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";
import type { PendingServer } from "../workspace/workspace.ts";

export interface TrustOperations {
  /** Returns the definitions that wait for approval, from lowest to highest priority. */
  pendingServers(): Promise<PendingServer[]>;
  /**
   * Returns whether servers need approval. Throws SERVER_UNKNOWN for an unknown server, and SERVER_INVALID for a
   * definition that can't be approved.
   */
  trustStates(servers: readonly string[]): Promise<TrustState[]>;
  /**
   * Approves the definition with this hash. Throws DEFINITION_CHANGED if the file has another definition by now, and
   * NOT_FOUND if no definition of the server waits for approval.
   */
  trustServer(server: string, hash: string): Promise<void>;
  /**
   * Withdraws the approvals of these servers, by default of all servers of the project. Throws SERVER_UNKNOWN, and
   * withdraws nothing, if one is unknown.
   */
  distrustServers(servers?: readonly string[]): Promise<WithdrawnTrust[]>;
}

/** How the methods are called from another process. */
export const TRUST_OPERATIONS: OperationTable<TrustOperations> = {
  pendingServers: { right: "trust", params: [] },
  trustStates: { right: "trust", params: [texts] },
  trustServer: { right: "trust", params: [text, text] },
  distrustServers: { right: "trust", params: [optional(texts)] },
};

export interface TrustState {
  readonly server: string;
  readonly source: ConfigSource;
  /** `not_needed`: only the servers of a project need approval. */
  readonly state: "pending" | "approved" | "not_needed";
  /** The definition that waits for approval. */
  readonly pending?: PendingServer;
}

export interface WithdrawnTrust {
  readonly server: string;
  readonly source: ConfigSource;
  /** False if there was no approval. */
  readonly withdrawn: boolean;
}
