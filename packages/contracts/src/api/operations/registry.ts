/** Finds servers in an MCP registry. */
import { object, text } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { EditableScope, ServerPlan } from "./servers.ts";

export interface RegistryOperations {
  /** Searches the registry. This is a request to another machine. */
  searchRegistry(words: string): Promise<RegistryHit[]>;
  /**
   * Plans a server of the registry with the values of its inputs. Reads the server from the registry again. A given
   * secret is stored when the plan is saved, and the definition only refers to it.
   */
  planRegistryServer(draft: RegistryDraft): Promise<ServerPlan>;
}

/** How the methods are called from another process. */
export const REGISTRY_OPERATIONS: OperationTable<RegistryOperations> = {
  searchRegistry: { right: "manage", params: [text] },
  planRegistryServer: {
    right: "manage",
    params: [object as ArgumentCheck<unknown> as ArgumentCheck<RegistryDraft>],
  },
};

export interface RegistryHit {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version?: string;
  /** A suggested id. */
  readonly id: string;
  /** Set if its publisher has deprecated it, with the publisher's reason or an empty text. */
  readonly deprecated?: string;
  readonly choices: readonly RegistryChoice[];
}

/** A package or a URL by which a server of the registry can be run. */
export interface RegistryChoice {
  /** Such as `npm package @example/server 1.0.2`. */
  readonly label: string;
  /** The reason why it can't run here. */
  readonly unsupported?: string;
  /** The inputs that the user fills in. */
  readonly inputs: readonly RegistryInputField[];
}

export interface RegistryInputField {
  /** Unique within its choice. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly format: "string" | "number" | "boolean" | "filepath";
  readonly default?: string;
  readonly placeholder?: string;
  /** The only valid values. */
  readonly choices?: readonly string[];
  /** True if it may have several values. */
  readonly repeated: boolean;
}

export interface RegistryDraft {
  readonly id: string;
  readonly scope: EditableScope;
  /** The name and version of the server in the registry. By default the latest version. */
  readonly name: string;
  readonly version?: string;
  /** The `label` of the chosen `RegistryChoice`. */
  readonly choice: string;
  /** The values by the names of the inputs. */
  readonly values: { readonly [input: string]: readonly string[] };
}
