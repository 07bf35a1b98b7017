/** Finds servers in an MCP registry, and makes definitions of them. Most methods send a request to another machine. */
import { object, options, text, texts, wholeNumber } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ServerEntry } from "../workspace/entry-keys.ts";
import type { EditableScope, ServerPlan } from "./servers.ts";

export interface RegistryOperations {
  /** Finds the servers that contain every word in their name, title or description. */
  searchRegistry(words: readonly string[], options?: RegistrySearchOptions): Promise<RegistrySearch>;
  /** Reads one server. Throws NOT_FOUND, perhaps with a similar name, if the registry does not have it. */
  registryServer(name: string, options?: RegistryServerOptions): Promise<RegistryHit>;
  /** Returns why a value is not valid for an input, as the end of a sentence. */
  checkRegistryValue(input: RegistryInputField, value: string): Promise<{ readonly problem?: string }>;
  /**
   * Fills a choice with the values of its inputs. Reads the registry again, unless `registryServer` last returned this
   * version to the caller. The entry only refers to secrets. The secrets among the values are returned beside the
   * entry. The host does not store them.
   */
  fillRegistryChoice(filling: RegistryFilling, options?: RegistryRequestOptions): Promise<RegistryEntry>;
  /**
   * Plans a server of the registry with the values of its inputs. Reads the registry as `fillRegistryChoice` does. A
   * given secret is stored when the plan is saved, and the definition only refers to it.
   */
  planRegistryServer(draft: RegistryDraft): Promise<ServerPlan>;
}

/** Checks only that the argument is an object. The host checks its content. */
const checkedByHost = <T>() => object as ArgumentCheck<unknown> as ArgumentCheck<T>;

/** How the methods are called from another process. */
export const REGISTRY_OPERATIONS: OperationTable<RegistryOperations> = {
  searchRegistry: { right: "manage", params: [texts, options({ limit: wholeNumber, registry: text })], signal: true },
  registryServer: {
    right: "manage",
    params: [
      text,
      options({
        version: text,
        registry: text,
        id: text,
        transport: text,
        given: checkedByHost<RegistryGivenValues>(),
      }),
    ],
    signal: true,
  },
  checkRegistryValue: { right: "manage", params: [checkedByHost<RegistryInputField>(), text] },
  fillRegistryChoice: { right: "manage", params: [checkedByHost<RegistryFilling>(), options({})], signal: true },
  planRegistryServer: { right: "manage", params: [checkedByHost<RegistryDraft>()] },
};

export interface RegistryRequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RegistrySearchOptions extends RegistryRequestOptions {
  /** The maximum number of servers, by default 20. */
  readonly limit?: number;
  /** The URL of the registry. By default `PLUGBOARD_REGISTRY_URL` or the official one. */
  readonly registry?: string;
}

export interface RegistryServerOptions extends RegistryRequestOptions, Pick<RegistrySearchOptions, "registry"> {
  /** By default the latest version. */
  readonly version?: string;
  /** The id of the new server, which the names of its secrets contain. By default the suggested one. */
  readonly id?: string;
  /** Leaves only the choices with this transport. The others become unsupported. */
  readonly transport?: string;
  /** Leaves only the choices that accept these values, too. */
  readonly given?: RegistryGivenValues;
}

/** Values that the user sets directly. They replace those of the registry. */
export interface RegistryGivenValues {
  readonly env?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  /** Arguments after those of the registry. */
  readonly args?: readonly string[];
}

export interface RegistrySearch {
  /** The URL of the registry. */
  readonly registry: string;
  readonly servers: readonly RegistryHit[];
  /** How many servers were left out because their fields are invalid. */
  readonly invalidCount: number;
  /** True if the registry may have more servers that match. */
  readonly hasMore: boolean;
}

/** What the publisher says about a server. The texts are untrusted. */
export interface PublishedServer {
  /** The name in reverse-DNS form, such as `io.github.user/weather`, by which the server is added. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly status: "active" | "deprecated" | "deleted";
  /** The publisher's reason for the status. */
  readonly statusMessage?: string;
  /** The URL of the source code. */
  readonly repository?: string;
  readonly website?: string;
}

/** A server of a registry, with the ways to run it. */
export interface RegistryHit extends PublishedServer {
  /** A suggested id. */
  readonly id: string;
  readonly choices: readonly (RegistryChoice | UnsupportedRegistryChoice)[];
}

/** A package or a URL by which a server can be run, with the entry if all inputs keep their defaults. */
export interface RegistryChoice extends RegistryEntry {
  /** Such as `npm package @example/server 1.0.2`. Unique within its server. */
  readonly label: string;
  /** The inputs that the user fills in. */
  readonly inputs: readonly RegistryInputField[];
}

export interface UnsupportedRegistryChoice {
  readonly label: string;
  /** The reason why it can't run here. */
  readonly unsupported: string;
}

export interface RegistryInputField {
  /** Unique within its choice. */
  readonly name: string;
  readonly where: "environment" | "header" | "argument" | "url";
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
  /** True if a given value replaces it, so that it need not be filled in. */
  readonly replaced?: true;
}

export interface RegistryEntry {
  readonly entry: ServerEntry;
  /** The secrets that the entry refers to with `$secret`. */
  readonly secrets: readonly RegistrySecret[];
  /** The environment variables that the entry refers to. Their names begin with `PLUGBOARD_INPUT_`. */
  readonly variables: readonly { readonly name: string; readonly description?: string }[];
}

export interface RegistrySecret {
  readonly name: string;
  readonly description?: string;
  /** The pattern of the value, such as `Bearer {token}`. Absent if the value is only the input. */
  readonly form?: string;
  /** The value that the caller has given. */
  readonly value?: string;
}

export interface RegistryFilling extends Pick<RegistryServerOptions, "version" | "registry" | "given"> {
  /** The id of the new server. */
  readonly id: string;
  /** The name of the server in the registry. */
  readonly name: string;
  /** The `label` of the chosen `RegistryChoice`. */
  readonly choice: string;
  /** The values by the names of the inputs. */
  readonly values: { readonly [input: string]: readonly string[] };
}

export interface RegistryDraft extends RegistryFilling {
  readonly scope: EditableScope;
}
