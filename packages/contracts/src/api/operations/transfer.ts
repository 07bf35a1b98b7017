/** Imports the servers of other clients, and exports servers to the files of other clients. */
import { flag, object, oneOf, options, text, texts } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import { CLIENT_NAMES } from "./client-names.ts";
import type { ClientName } from "./client-names.ts";
import { addedServersRight } from "../rights/spec-rights.ts";
import type { OperationTable } from "./operation-table.ts";
import type { HostErrorJson } from "../../errors/error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ServerEntry } from "../workspace/entry-keys.ts";
import type { EditableScope, FoundSecret } from "./servers.ts";

export interface TransferOperations {
  /**
   * Lists the servers of all other clients, compared with the config files. Unlike `planImport`, it does not open the
   * secret store, so the names that it chooses for secrets may be in use already.
   */
  importFiles(options?: Pick<PlanImportOptions, "replace">): Promise<ImportFile[]>;
  /**
   * Reads the servers of other clients, and compares them with the config files. Saves nothing. Throws USAGE for an
   * unknown source or id.
   */
  planImport(options?: PlanImportOptions): Promise<ImportPlan>;
  /**
   * Saves the servers with these keys, one after another. Their secrets go to the secret store first, and the saved
   * definitions only refer to them. Throws NOT_FOUND for an expired or applied plan or an unknown key.
   */
  importServers(plan: string, keys: readonly string[], options?: ImportServersOptions): Promise<ImportResult>;
  /** Returns the servers as the text of another client's file. Writes nothing. Throws USAGE for an unknown id. */
  exportServers(client: ClientName, options?: ExportServersOptions): Promise<ExportedServers>;
}

const scope = oneOf("user", "project", "local");
const servers = object as ArgumentCheck<unknown> as ArgumentCheck<NonNullable<ExportServersOptions["servers"]>>;
const planOptions = { source: text, scope, only: texts, replace: flag, distinct: flag, plainSecrets: flag };

/** How the methods are called from another process. */
export const TRANSFER_OPERATIONS: OperationTable<TransferOperations> = {
  importFiles: { right: "manage", params: [options({ replace: flag })] },
  planImport: { right: "manage", params: [options(planOptions)] },
  importServers: { right: "manage", params: [text, texts, options({ plainSecrets: texts })] },
  exportServers: {
    right: "manage",
    more: [
      { right: "read_secrets", when: "with `showSecrets`", applies: ([, given]) => showsSecrets(given) },
      addedServersRight(1),
    ],
    params: [oneOf(...CLIENT_NAMES), options({ only: texts, showSecrets: flag, servers })],
  },
};

function showsSecrets(given: unknown): boolean {
  const shown = isJsonObject(given) ? given["showSecrets"] : undefined;
  return shown !== undefined && shown !== null && shown !== false;
}

export interface PlanImportOptions {
  /** The name of a client, or a path. By default all clients on this machine. */
  readonly source?: string;
  /** Replaces the scope of every server. */
  readonly scope?: EditableScope;
  /** The ids of the only servers to import. */
  readonly only?: readonly string[];
  /** True if a server replaces another definition of its id. By default this is a conflict. */
  readonly replace?: boolean;
  /** True if only the first of several servers with the same id is planned, so that all can be imported together. */
  readonly distinct?: boolean;
  /** True if secrets stay in the definitions, in plain text. By default they are stored. */
  readonly plainSecrets?: boolean;
}

export interface ImportPlan {
  readonly plan: string;
  readonly files: readonly ImportFile[];
  /** The reason why secrets can't be stored. Absent if they can, and if there are none. */
  readonly secretStoreProblem?: string;
  /** True if secrets are stored in a plain file that only the user can read, because there is no keyring. */
  readonly unencrypted?: boolean;
}

export interface ImportServersOptions {
  /** The keys of servers whose secrets stay in their definitions, in plain text. */
  readonly plainSecrets?: readonly string[];
}

export interface ImportResult {
  /** The keys of the saved servers. */
  readonly imported: readonly string[];
  /** The first server that could not be saved. Those after it were not tried. Absent if all were saved. */
  readonly failed?: { readonly key: string; readonly error: HostErrorJson };
}

export interface ImportFile {
  /** `other` for a file of no known client. */
  readonly client: ClientName | "other";
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
  readonly scope: EditableScope;
  readonly enabled: boolean;
  /** `none`: the same definition exists. `conflict`: another definition of this id exists. */
  readonly action: "add" | "replace" | "conflict" | "none";
  /** The command or URL, with possible secrets masked. Absent if the entry only enables or disables a server. */
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

export interface ExportServersOptions {
  /** The ids of the only servers to export. */
  readonly only?: readonly string[];
  /** True if the text contains the secrets that the config has in plain text. */
  readonly showSecrets?: boolean;
  /** Further servers, for this export only. */
  readonly servers?: { readonly [id: string]: ServerEntry };
}

export interface ExportedServers {
  readonly text: string;
  /** The servers in the text. The notes say what is lost. */
  readonly servers: readonly { readonly id: string; readonly notes: readonly string[] }[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}
