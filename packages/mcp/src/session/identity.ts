/**
 * How Plugboard introduces itself: its name, the capabilities that it declares, and its host ids.
 *
 * A host detects connections to itself by its ids. It sends its client id to servers and its gateway id to clients of
 * its gateway. A server never learns the gateway id, so it cannot make its answers look like a loop.
 */
import type { Caller, Json, JsonObject, PeerError } from "@plugboard/contracts";
import { HostError, isJsonObject } from "@plugboard/contracts";
import { INVALID_REQUEST } from "../wire/rpc-error-codes.ts";

export interface Identity {
  readonly name: string;
  readonly version: string;
  /** Absent for a program that is not a host. */
  readonly ids?: HostIds | undefined;
}

/** Random ids of a host, new for each run. */
export interface HostIds {
  /** Sent to servers. A client that sends it to our gateway is this host, or was started by it. */
  readonly client: string;
  /** Sent to clients of our gateway. A server that sends it to us is this host, or leads to it. */
  readonly gateway: string;
}

/** Whether the host's model can be used for sampling, and whether the request may contain tools. */
export type SamplingSupport = boolean | "with-tools";

export interface DeclaredCapabilities {
  /** True stands for all modes. */
  readonly elicitation: boolean | { readonly form: boolean; readonly url: boolean };
  readonly sampling: SamplingSupport;
  readonly roots: boolean;
  /** True only in the legacy era, which has a notification for changed roots. */
  readonly rootsListChanged?: boolean;
  readonly tasks: boolean;
  /** Other extensions, which the host or a client of the gateway supports. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
}

export const NO_CAPABILITIES: DeclaredCapabilities = {
  elicitation: false,
  sampling: false,
  roots: false,
  tasks: false,
};

/** Declares no extension, not even those that the host supports. */
export const NO_EXTENSIONS: { readonly [name: string]: JsonObject } = {};

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Returns the value of `clientInfo` or `serverInfo`. */
export function implementationInfo(identity: Identity): JsonObject {
  return { name: identity.name, version: identity.version };
}

const MAX_CLIENT_TEXT = 64;

/** Adds the name in `clientInfo` to the caller, if there is one. */
export function withClientName(caller: Caller, clientInfo: unknown): Caller {
  const name = clientText(clientInfo, "name");
  return name === undefined ? caller : { ...caller, client: name };
}

export function clientVersion(clientInfo: unknown): string | undefined {
  return clientText(clientInfo, "version");
}

function clientText(clientInfo: unknown, key: "name" | "version"): string | undefined {
  const text = isJsonObject(clientInfo) ? clientInfo[key] : undefined;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_CLIENT_TEXT) : undefined;
}

/** Returns the `capabilities` object of a client. */
export function clientCapabilities({
  elicitation,
  sampling,
  roots,
  rootsListChanged,
  tasks,
  extensions,
}: DeclaredCapabilities): JsonObject {
  const declared = tasks ? { ...extensions, [TASKS_EXTENSION]: {} } : extensions;
  const { form, url } = typeof elicitation === "object" ? elicitation : { form: elicitation, url: elicitation };
  return {
    ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(sampling && { sampling: sampling === "with-tools" ? { tools: {} } : {} }),
    ...(roots && { roots: rootsListChanged ? { listChanged: true } : {} }),
    ...(declared && declared !== NO_EXTENSIONS && { extensions: declared }),
  };
}

/** The key of the host ids in `_meta` and in the data of an error. */
export const HOST_IDS_KEY = "plugboard/instances";
/** Further ids are dropped. They belong to the hosts that are furthest away. */
const MAX_IDS = 100;
const MAX_ID_LENGTH = 100;

/** Reads host ids from `_meta` or from the data of an error. */
export function parseHostIds(meta: Json | undefined): readonly string[] {
  const ids = isJsonObject(meta) ? meta[HOST_IDS_KEY] : undefined;
  if (!Array.isArray(ids)) return [];
  return ids.filter((id) => typeof id === "string" && id.length <= MAX_ID_LENGTH).slice(0, MAX_IDS) as string[];
}

/** Returns members to spread into the `_meta` of a handshake with a server. Empty for a program that is not a host. */
export function clientIdMeta({ ids }: Identity): JsonObject {
  return ids === undefined ? {} : { [HOST_IDS_KEY]: [ids.client] };
}

/** Returns members to spread into the `_meta` of an answer to a client: our id first, then those behind our servers. */
export function gatewayIdsMeta({ ids }: Identity, others: readonly string[] = []): JsonObject {
  return ids === undefined ? {} : { [HOST_IDS_KEY]: [...new Set([ids.gateway, ...others])].slice(0, MAX_IDS) };
}

/** Returns an error if the client is this host, or was started by it. `parentHostIds` names the hosts behind the client. */
export function rejectOwnClient({ ids }: Identity, parentHostIds: readonly string[]): PeerError | undefined {
  if (ids === undefined || !parentHostIds.includes(ids.client)) return undefined;
  const message = "This connection leads back to the host it comes from";
  return { code: INVALID_REQUEST, message, data: { plugboard: "SERVER_IS_SELF", [HOST_IDS_KEY]: [ids.gateway] } };
}

/**
 * Returns SERVER_IS_SELF if the answer of a server comes from this host. A server sends its own id first. Our id at a
 * later place was passed on from another server, which may have forged it.
 */
export function findOwnGateway(server: string, { ids }: Identity, hostIds: readonly string[]): HostError | undefined {
  if (ids === undefined || !hostIds.includes(ids.gateway)) return undefined;
  return new HostError("SERVER_IS_SELF", { server, ...(hostIds[0] !== ids.gateway && { indirect: true }) });
}

/** Returns the extensions of a client or server whose settings are objects. */
export function parseExtensions(extensions: Json | undefined): { [name: string]: JsonObject } {
  if (!isJsonObject(extensions)) return {};
  return Object.fromEntries(Object.entries(extensions).filter(([, settings]) => isJsonObject(settings))) as {
    [name: string]: JsonObject;
  };
}
