/** Describes an MCP request for OpenTelemetry: its span name and attributes, by the semantic conventions for MCP. */
import type { CallerKind } from "@plugboard/contracts";
import type { TraceContext } from "@plugboard/mcp";

export interface Operation {
  /** `client`: a request of this host to a server. `server`: a request of a gateway client to this host. */
  readonly side: "client" | "server";
  readonly method: string;
  /** The id of the server. Unknown for most requests of gateway clients. */
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly prompt?: string | undefined;
  readonly uri?: string | undefined;
  readonly caller?: CallerKind | undefined;
  /** The protocol revision of the other end. */
  readonly revision?: string | undefined;
  readonly session?: string | undefined;
  readonly transport?: "tcp" | "pipe" | undefined;
}

/** How an operation ended. */
export interface OperationEnd {
  /** The error code of a failed operation, or `tool_error` if the tool returned an error. */
  readonly code?: string | undefined;
  /** The JSON-RPC error code that the server returned. */
  readonly rpcCode?: number | undefined;
}

export interface Span {
  /** The trace context to send with the request. Undefined if the span is not recorded. */
  readonly trace: TraceContext | undefined;
  end(outcome?: OperationEnd): void;
}

/** Records spans. `parent` is the trace context that came with the request. */
export interface Tracer {
  startSpan(operation: Operation, parent?: TraceContext): Span;
}

export type Attributes = { readonly [name: string]: string };

export function spanName({ method, tool, prompt }: Operation): string {
  const target = tool ?? prompt;
  return target === undefined ? method : `${method} ${target}`;
}

/** Returns the attributes of a metric. They have few different values, unlike the attributes of a span. */
export function metricAttributes(operation: Operation): Attributes {
  const { method, server, tool, prompt, revision, transport } = operation;
  return withoutUndefined({
    "mcp.method.name": method,
    "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
    "gen_ai.tool.name": tool,
    "gen_ai.prompt.name": prompt,
    "mcp.protocol.version": revision,
    "network.transport": transport,
    "plugboard.server": server,
  });
}

/** Returns a key that is equal for equal attributes of a metric. Building it is faster than building the attributes. */
export function metricKey(operation: Operation, { code = "", rpcCode = 0 }: OperationEnd): string {
  const { method, server = "", tool = "", prompt = "", revision = "", transport = "" } = operation;
  return `${method}\0${server}\0${tool}\0${prompt}\0${revision}\0${transport}\0${code}\0${rpcCode}`;
}

export function spanAttributes(operation: Operation): Attributes {
  const { uri, session, caller } = operation;
  return withoutUndefined({
    ...metricAttributes(operation),
    "mcp.resource.uri": uri,
    "mcp.session.id": session,
    "plugboard.caller": caller,
  });
}

export function endAttributes({ code, rpcCode }: OperationEnd): Attributes {
  return withoutUndefined({
    "error.type": code,
    "rpc.response.status_code": rpcCode === undefined ? undefined : String(rpcCode),
  });
}

function withoutUndefined(attributes: { readonly [name: string]: string | undefined }): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;
}
