/** Imports the servers of other clients. */
import { options, text, texts } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { FoundSecret } from "./servers.ts";

export interface TransferOperations {
  /** Reads the servers of other clients on this machine. Saves nothing. */
  planImport(): Promise<ImportPlan>;
  /**
   * Saves the servers with these keys, one after another. Their secrets go to the secret store first, and the saved
   * definitions only refer to them. Throws NOT_FOUND for an expired plan or an unknown key.
   */
  importServers(plan: string, keys: readonly string[], options?: ImportServersOptions): Promise<ImportResult>;
}

/** How the methods are called from another process. */
export const TRANSFER_OPERATIONS: OperationTable<TransferOperations> = {
  planImport: { right: "manage", params: [] },
  importServers: { right: "manage", params: [text, texts, options({ plainSecrets: texts })] },
};

export interface ImportPlan {
  readonly plan: string;
  readonly files: readonly ImportFile[];
  /** The reason why secrets can't be stored. Absent if they can. */
  readonly secretStoreProblem?: string;
  /** True if secrets are stored in a plain file that only the user can read, because there is no keyring. */
  readonly unencrypted?: boolean;
}

export interface ImportServersOptions {
  /** The keys of servers whose secrets stay in their definitions, in plain text. */
  readonly plainSecrets?: readonly string[];
}

export interface ImportResult {
  /** The ids of the saved servers. */
  readonly imported: readonly string[];
  /** The first server that could not be saved. Those after it were not tried. Absent if all were saved. */
  readonly failed?: { readonly id: string; readonly error: HostErrorJson };
}

export interface ImportFile {
  readonly label: string;
  readonly file: string;
  readonly servers: readonly ImportableServer[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** The reason why the file can't be read. */
  readonly error?: string;
}

export interface ImportableServer {
  /** Identifies the server in the plan. */
  readonly key: string;
  readonly id: string;
  /** `none`: the same definition exists. `conflict`: another definition of this id exists. */
  readonly action: "add" | "replace" | "conflict" | "none";
  /** The command or URL, with possible secrets masked. */
  readonly runs?: string;
  /** The entry with masked values. */
  readonly entry: JsonObject;
  /** The file that it would be written to. */
  readonly target: string;
  readonly notes: readonly string[];
  /** The secrets that would be stored. */
  readonly secrets: readonly FoundSecret[];
  /** The masked entry if these secrets stay in the definition. Absent if there are none. */
  readonly plainEntry?: JsonObject;
}
