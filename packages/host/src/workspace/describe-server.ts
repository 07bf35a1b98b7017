/** Describes a server of a workspace for status displays, from its definition and its connection. */
import { HostError } from "@plugboard/contracts";
import type { LoginStatus, ServerDetail, ServerStatus } from "@plugboard/contracts";
import { TASKS_EXTENSION } from "@plugboard/mcp";
import type { Connection, ServerCapabilities } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ConfiguredServer } from "@plugboard/config";
import { describeTarget, redactedEntry } from "@plugboard/config";

export interface DescribedServer {
  readonly configured: ConfiguredServer;
  /** Whether the server was switched off at run time. */
  readonly hidden: boolean;
  readonly connection: Connection | undefined;
  /** Whether the server waits for its secrets before it leases a connection. */
  readonly leasing: boolean;
  /** The reason why the definition could not be resolved. */
  readonly resolveError: HostError | undefined;
  readonly login: LoginStatus | undefined;
}

export function describeServer(server: DescribedServer): ServerStatus {
  const { id, source, definition } = server.configured;
  if ("invalid" in definition) {
    const error = new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
    const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
    return { ...base, state: "error", lastError: error.toJSON() };
  }
  const { transport, enabled } = definition;
  const base = {
    id,
    transport,
    source,
    enabled,
    ...(server.hidden && { hidden: true }),
    // A getter, because masking takes long and most callers of `connect` ignore the target.
    get target() {
      return describeTarget(definition);
    },
  };
  return Object.assign(base, describeState(server, enabled));
}

/** Returns the part of the status that changes while the host runs. */
function describeState(server: DescribedServer, enabled: boolean): Omit<ServerStatus, DefinitionKey> {
  const { configured, connection, login, leasing, resolveError } = server;
  if (!enabled) return { state: "disabled", tools: 0 };
  if (connection) return { ...connectionStatus(connection, configured.id), ...(login && { login }) };
  if (leasing) return { state: "connecting", tools: 0 };
  if (!resolveError) return { state: "idle", tools: 0, ...(login && { login }) };
  return { state: "error", tools: 0, lastError: resolveError.toJSON() };
}

export function describeServerDetail(server: DescribedServer): ServerDetail {
  const { configured, connection } = server;
  const instructions = connection?.session?.serverInfo.instructions;
  return {
    ...describeServer(server),
    config: "invalid" in configured.definition ? {} : redactedEntry(configured.definition),
    offered: (connection?.catalog.tools ?? []).map(({ name, description, annotations }) => ({
      name,
      ...(description !== undefined && { description }),
      ...(annotations && { annotations }),
    })),
    ...(instructions !== undefined && { instructions }),
    ...(connection?.serverInfo && { capabilities: capabilityNames(connection.serverInfo.capabilities) }),
    ...(connection?.stderrTail && { stderr: connection.stderrTail }),
  };
}

/** Returns the names that the protocol uses, such as `resources.subscribe`. */
function capabilityNames(capabilities: ServerCapabilities): string[] {
  const { tools, resources, subscribe, prompts, completion, logging, tasks, extensions = {} } = capabilities;
  return [
    ...(tools ? ["tools"] : []),
    ...(resources ? ["resources"] : []),
    ...(subscribe ? ["resources.subscribe"] : []),
    ...(prompts ? ["prompts"] : []),
    ...(completion ? ["completions"] : []),
    ...(logging ? ["logging"] : []),
    ...(tasks ? [TASKS_EXTENSION] : []),
    ...Object.keys(extensions),
  ];
}

type DefinitionKey = "id" | "transport" | "source" | "enabled" | "hidden" | "target";

/** Returns the part of the status that comes from the connection. */
export function connectionStatus(connection: Connection, id: string): Omit<ServerStatus, DefinitionKey> {
  const { state, session, catalog, pid, lastConnectedAt, retryAt } = connection;
  const readySession = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = readySession?.serverInfo ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    tools: catalog.tools.length,
    ...(readySession && { era: readySession.era, version: readySession.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(readySession && readySession.ignoredMessages > 0 && { skippedMessages: readySession.ignoredMessages }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { lastError: renameServerInError(state.error, id).toJSON() }),
    ...(retryAt !== undefined && { retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { lastConnectedAt }),
    ...(catalog.dropped.length > 0 && { droppedTools: catalog.dropped }),
  };
}
