/** Converts a server's status to the format of the Agent SDK, for programs that use that SDK. */
import type { ServerDetail, ServerState, ToolAnnotations } from "@plugboard/contracts";

export interface AgentServerStatus {
  readonly name: string;
  readonly status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: string;
  readonly config?: object;
  readonly scope: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly annotations?: AgentHints;
  }[];
}

interface AgentHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

const AGENT_STATES: { readonly [S in ServerState]: AgentServerStatus["status"] } = {
  disabled: "disabled",
  idle: "pending",
  connecting: "pending",
  auth_required: "needs-auth",
  ready: "connected",
  error: "failed",
};

export function toAgentStatus(server: ServerDetail): AgentServerStatus {
  const { id: name, state, hidden, serverInfo, lastError, config, source: scope, offered } = server;
  return {
    name,
    // A hidden server was switched off at run time. It stays connected, but its tools can't be called.
    status: hidden ? "disabled" : AGENT_STATES[state],
    ...(serverInfo && { serverInfo }),
    ...(lastError && state !== "ready" && { error: lastError.message }),
    config,
    scope,
    tools: offered.map(({ annotations, ...tool }) => ({
      ...tool,
      ...(annotations && { annotations: toHints(annotations) }),
    })),
  };
}

function toHints({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations): AgentHints {
  return {
    ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
    ...(destructiveHint !== undefined && { destructive: destructiveHint }),
    ...(openWorldHint !== undefined && { openWorld: openWorldHint }),
  };
}
