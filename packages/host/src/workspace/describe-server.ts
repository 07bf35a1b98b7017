/** Describes a server of a workspace for status displays, from its definition and its connection. */
import { HostError } from "@plugboard/contracts";
import type { LoginStatus, ServerDetail, ServerStatus } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { renameServerInError } from "../calls/rename-server-in-error.ts";
import type { ConfiguredServer } from "../config/definition/definition.ts";
import { describeTarget } from "../redaction/describe-target.ts";
import { redactedEntry } from "../redaction/redacted-entry.ts";

export interface DescribedServer {
  readonly configured: ConfiguredServer;
  readonly hidden: boolean;
  readonly connection: Connection | undefined;
  /** Whether a connection is about to be leased. */
  readonly leasing: boolean;
  /** The reason why its definition could not be resolved. */
  readonly resolveError: HostError | undefined;
  readonly login: LoginStatus | undefined;
}

export function describeServer(server: DescribedServer): ServerStatus {
  const { configured, connection, login } = server;
  const { id, source, definition } = configured;
  if ("invalid" in definition) {
    const error = new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
    const base = { id, source, transport: "stdio", target: "", enabled: false, tools: 0 } as const;
    return { ...base, state: "error", lastError: error.toJSON() };
  }
  const { transport, enabled } = definition;
  const hidden = server.hidden && { hidden: true };
  const base = { id, transport, source, enabled, ...hidden, target: describeTarget(definition) };
  if (!enabled) return { ...base, state: "disabled", tools: 0 };
  if (connection) return { ...base, ...connectionStatus(connection, id), ...(login && { login }) };
  if (server.leasing) return { ...base, state: "connecting", tools: 0 };
  if (!server.resolveError) return { ...base, state: "idle", tools: 0, ...(login && { login }) };
  return { ...base, state: "error", tools: 0, lastError: server.resolveError.toJSON() };
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
    ...(connection?.stderrTail && { stderr: connection.stderrTail }),
  };
}

type FromDefinition = "id" | "transport" | "source" | "enabled" | "hidden" | "target";

/** Returns the part of the status that comes from the connection. */
export function connectionStatus(connection: Connection, id: string): Omit<ServerStatus, FromDefinition> {
  const { state, session, catalog, pid, lastConnectedAt, retryAt } = connection;
  const ready = state.phase === "ready" ? session : undefined;
  const { name, serverVersion } = ready?.serverInfo ?? {};
  return {
    state: state.phase === "waiting" ? "connecting" : state.phase,
    tools: catalog.tools.length,
    ...(ready && { era: ready.era, version: ready.version }),
    ...(name !== undefined && { serverInfo: { name, version: serverVersion ?? "" } }),
    ...(ready && ready.ignoredMessages > 0 && { skippedMessages: ready.ignoredMessages }),
    ...(pid !== undefined && { pid }),
    ...("error" in state && state.error && { lastError: renameServerInError(state.error, id).toJSON() }),
    ...(retryAt !== undefined && { retryAt }),
    ...(state.restarts > 0 && { restarts: state.restarts }),
    ...(lastConnectedAt !== undefined && { lastConnectedAt }),
    ...(catalog.dropped.length > 0 && { droppedTools: catalog.dropped }),
  };
}
