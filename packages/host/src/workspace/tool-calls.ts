/** Makes tool calls in a workspace: finds the tool of a call, and leases the connection of its server. */
import { hasRight, holderOf, HostError, NATIVE_SERVER_ID, toAbortSignal } from "@plugboard/contracts";
import type { ToolRef, ToolResult } from "@plugboard/contracts";
import type { Connection, Outcome } from "@plugboard/mcp";
import type { Call, CallScope } from "../calls/call.ts";
import { callTool, runCall, runRequestAbout } from "../calls/run-call.ts";
import type { CallPorts } from "../calls/run-call.ts";
import { ENTRY_DEFAULTS } from "@plugboard/config";
import { canonicalDigest } from "@plugboard/store";
import type { ToolPins } from "../policy/decision-store.ts";
import type { Policy } from "../policy/policy.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { NativeToolVisibility } from "./native-tool-visibility.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { ServerAccess } from "./server-access.ts";
import type { ServerSet } from "./server-set.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface ToolCallsOptions {
  readonly ports: CallPorts;
  readonly tools: OfferedTools;
  readonly nativeTools: NativeToolVisibility;
  readonly servers: ServerSet;
  readonly access: ServerAccess;
  readonly policy: () => Policy;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
  /** The folder of the workspace. */
  readonly folder: string;
}

export class ToolCalls implements CallScope {
  readonly released: AbortSignal;
  readonly #options: ToolCallsOptions;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.released = options.released;
  }

  /** Returns the result. Passes the server's questions to the caller. Throws a `HostError` if the call fails. */
  call(call: Call): Promise<ToolResult> {
    call.scope = this;
    return callTool(call, this.#options.ports);
  }

  /** Returns the outcome, which may be a question of the server. Never rejects. */
  request(call: Call): Promise<Outcome> {
    call.scope = this;
    return runCall(call, this.#options.ports);
  }

  /** Sends a request that names the tool but is no call, if the caller may call the tool. Never rejects. */
  requestAbout(call: Call, send: () => Promise<Outcome>): Promise<Outcome> {
    call.scope = this;
    return runRequestAbout(call, send, this.#options.ports);
  }

  /** Returns the size limit for the results of a tool. A model gets longer results cut. */
  resultLimitBytes(ref: ToolRef): number {
    const { tools, servers } = this.#options;
    const server = servers.find((tools.find(ref) ?? tools.parseRef(ref)).server);
    return (server?.definition ?? ENTRY_DEFAULTS).resultLimitBytes;
  }

  policy(): Policy {
    return this.#options.policy();
  }

  find(call: Call): ResolvedTool | undefined {
    return call.loginTool ?? this.#options.tools.find(call);
  }

  pinsOf(server: string): ToolPins {
    return Object.fromEntries(this.#options.tools.listOf(server).map(({ tool, pin }) => [tool, pin]));
  }

  askForLogin(call: Call, error: HostError): Promise<boolean> {
    const { access, servers } = this.#options;
    const { caller, signal } = call;
    const server = servers.find(call.server);
    if (!server) return Promise.resolve(false);
    return access.askForLogin(server)(error, { caller, signal: toAbortSignal(signal) });
  }

  /** Returns a promise only if it has to wait for the user's approval or for a secret. */
  resolve(call: Call): Promise<void> | undefined {
    const { tools, nativeTools, servers, access } = this.#options;
    const { ref, caller } = call;
    if (this.released.aborted) throw new HostError("HOST_CLOSED", {});
    const found = tools.find(ref);
    const { server: id, tool } = found ?? tools.parseRef(ref);
    call.server = id;
    call.tool = tool;
    if (id === NATIVE_SERVER_ID && !hasRight(holderOf(caller), "use_native_tools")) throw unlistedTool(ref);
    const hiddenUntilNeeded = found?.native !== undefined && nativeTools.isHiddenUntilNeeded(tool);
    if (found?.excluded || (found?.disabled && !hiddenUntilNeeded)) throw toolOffError(found);
    if (id === NATIVE_SERVER_ID) return this.#resolveNative(call, found);
    const server = servers.find(id);
    if (!server) return access.getTrusted(id, caller, toAbortSignal(call.signal)).then(() => this.resolve(call));
    if (found?.native) {
      call.loginTool = found;
      return setServer(call, server, undefined);
    }
    const leased = server.leaseFor(call);
    if (leased instanceof Promise) return leased.then((connection) => this.#resolveOn(call, server, connection, found));
    return this.#resolveOn(call, server, leased, found);
  }

  #resolveOn(call: Call, server: WorkspaceServer, connection: Connection, found: ResolvedTool | undefined): undefined {
    // If the server is not connected yet, it lists its tools when it connects. The call then looks for its tool again.
    if (connection.state.phase === "ready" && !found && !this.find(call)) throw this.#options.tools.notFound(call);
    return setServer(call, server, connection);
  }

  #resolveNative(call: Call, found: ResolvedTool | undefined): undefined {
    const { tools, access, folder } = this.#options;
    if (!found) throw tools.notFound(call);
    call.request = found.native?.requestOf?.(call.arguments);
    // `getForModel` throws if models can't use the server, before anyone is asked. A decision about a native tool that
    // sends no request applies to this folder only.
    call.definitionHash = call.request
      ? access.getForModel(call.request.server).definitionHash
      : canonicalDigest({ folder });
  }
}

function setServer(call: Call, server: WorkspaceServer, connection: Connection | undefined): undefined {
  const { trustAnnotations, sampling, strictResults = false, requestTimeoutMs, maxTimeoutMs } = server.definition;
  call.connection = connection;
  call.definitionHash = server.definitionHash;
  call.trustsAnnotations = trustAnnotations;
  call.allowsSampling = sampling;
  call.strictResults = strictResults;
  call.timeoutMs = requestTimeoutMs;
  call.maxMs = maxTimeoutMs;
}

/** Suggests no other name, because the caller must not learn the names of other tools. */
function unlistedTool(ref: ToolRef): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: typeof ref === "string" ? ref : `${ref.server}:${ref.tool}` });
}
