/** Describes a server of a workspace for status displays, from its definition and its connection. */
import { HostError } from "@plugboard/contracts";
import type { ListedTool, LoginStatus, ServerDetail, ServerStatus, Tool } from "@plugboard/contracts";
import { TASKS_EXTENSION } from "@plugboard/mcp";
import type { Connection, ServerCapabilities } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ConfiguredServer } from "@plugboard/config";
import { describeAccess, describeTarget, redactedEntry } from "@plugboard/config";

export interface DescribedServer {
  readonly configured: ConfiguredServer;
  /** Whether the server was switched off at run time. */
  readonly hidden: boolean;
  readonly connection: Connection | undefined;
  /** The tools of the connection. */
  readonly tools: SortedTools;
  /** True while the server waits for its secrets, before it leases a connection. */
  readonly leasing: boolean;
  /** The reason why the definition could not be resolved. */
  readonly resolveError: HostError | undefined;
  readonly login: LoginStatus | undefined;
}

/** The tools that a server lists, sorted by whether a workspace offers them. */
export interface SortedTools {
  readonly offered: readonly Tool[];
  /** The tools that are denied, excluded or switched off. */
  readonly hidden: readonly Tool[];
  /** The tools that can't be used, with the reason. */
  readonly dropped: readonly { readonly tool: string; readonly reason: string }[];
}

export const NO_SORTED_TOOLS: SortedTools = { offered: [], hidden: [], dropped: [] };

export function describeServerStatus(server: DescribedServer): ServerStatus {
  const { id, source, definition } = server.configured;
  if ("invalid" in definition) {
    const error = new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
    const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
    return { ...base, state: "error", lastError: error.toJSON() };
  }
  const { transport, enabled } = definition;
  const sandbox = describeAccess(server.configured);
  const base = {
    id,
    transport,
    source,
    enabled,
    ...(sandbox && { sandbox }),
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
  const { configured, connection, tools, login, leasing, resolveError } = server;
  if (!enabled) return { state: "disabled", tools: 0 };
  if (connection)
    return { ...connectionStatus(connection, configured.id), ...describeTools(tools), ...(login && { login }) };
  if (leasing) return { state: "connecting", tools: 0 };
  if (!resolveError) return { state: "idle", tools: 0, ...(login && { login }) };
  return { state: "error", tools: 0, lastError: resolveError.toJSON() };
}

export function describeServerDetail(server: DescribedServer): ServerDetail {
  const { configured, connection, tools } = server;
  const { offered, hidden } = tools;
  const instructions = connection?.session?.serverInfo.instructions;
  return {
    ...describeServerStatus(server),
    config: "invalid" in configured.definition ? {} : redactedEntry(configured.definition),
    offered: offered.map(toListedTool),
    ...(hidden.length > 0 && { notOffered: hidden.map(toListedTool) }),
    ...(instructions !== undefined && { instructions }),
    ...(connection?.serverInfo && { capabilities: capabilityNames(connection.serverInfo.capabilities) }),
    ...(connection?.stderrTail && { stderr: connection.stderrTail }),
  };
}

function toListedTool({ name, description, annotations }: Tool): ListedTool {
  return { name, ...(description !== undefined && { description }), ...(annotations && { annotations }) };
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

type DefinitionKey = "id" | "transport" | "source" | "enabled" | "sandbox" | "hidden" | "target";

/** Returns the part of the status that counts the tools. */
function describeTools({ offered, hidden, dropped }: SortedTools): Pick<ServerStatus, ToolKey> {
  return {
    tools: offered.length,
    ...(hidden.length > 0 && { hiddenTools: hidden.length }),
    ...(dropped.length > 0 && { droppedTools: dropped }),
  };
}

type ToolKey = "tools" | "hiddenTools" | "droppedTools";

/** Returns the part of the status that comes from the connection. */
export function connectionStatus(connection: Connection, id: string): Omit<ServerStatus, DefinitionKey | ToolKey> {
  const { state, session, pid, lastConnectedAt, retryAt, toolsStoredAt } = connection;
  const readySession = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = readySession?.serverInfo ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    ...(readySession && { era: readySession.era, version: readySession.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(readySession && readySession.ignoredMessages > 0 && { skippedMessages: readySession.ignoredMessages }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { lastError: renameServerInError(state.error, id).toJSON() }),
    ...(retryAt !== undefined && { retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { lastConnectedAt }),
    ...(toolsStoredAt !== undefined && { toolsListedAt: toolsStoredAt }),
  };
}
