/** Makes tool calls for a workspace: resolves the tool, leases the connection of its server, and passes the call on. */
import { hasRight, holderOf, HostError, NATIVE_SERVER_ID, toHostError } from "@plugboard/contracts";
import type { JsonObject, ToolRef, ToolResult } from "@plugboard/contracts";
import type { Connection, Outcome, Resumed } from "@plugboard/mcp";
import type { Calls } from "../calls/calls.ts";
import type { CallerContext, ResolvedCall } from "../calls/resolved-call.ts";
import { ENTRY_DEFAULTS } from "../config/definition/entry-defaults.ts";
import { canonicalDigest } from "../lib/canonical-digest.ts";
import type { ToolKey } from "../names/name-table.ts";
import type { Policy } from "../policy/policy.ts";
import type { NativeRequest } from "../tools/native-tool.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { NativeToolVisibility } from "./native-tool-visibility.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { ServerAccess } from "./server-access.ts";
import type { ServerSet } from "./server-set.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface ToolCallsOptions {
  readonly calls: Calls;
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

export class ToolCalls {
  readonly #options: ToolCallsOptions;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  async call(ref: ToolRef, args: JsonObject, context: CallerContext): Promise<ToolResult> {
    const call = this.#resolve(ref, args, context);
    // `return await` settles sooner than returning the promise.
    return await this.#options.calls.call(call instanceof Promise ? await call : call, context);
  }

  /** Makes a call. If the server asks the user something, returns that as an outcome. Never rejects. */
  async request(ref: ToolRef, args: JsonObject, context: CallerContext, resumed?: Resumed): Promise<Outcome> {
    try {
      const call = this.#resolve(ref, args, context, resumed);
      return await this.#options.calls.request(call instanceof Promise ? await call : call, context);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** Sends another request that names the tool, if the caller may call the tool with these arguments. Never rejects. */
  async requestAbout(
    ref: ToolRef,
    args: JsonObject,
    context: CallerContext,
    send: () => Promise<Outcome>,
  ): Promise<Outcome> {
    try {
      return await this.#options.calls.requestAbout(await this.#resolve(ref, args, context), context, send);
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** Returns the size limit for the results of a tool. A model gets longer results cut. */
  resultLimitBytes(ref: ToolRef): number {
    const { tools, servers } = this.#options;
    const server = servers.find((tools.find(ref) ?? tools.parseRef(ref)).server);
    return (server?.definition ?? ENTRY_DEFAULTS).resultLimitBytes;
  }

  /** Returns a promise only if it has to wait for the user's approval or for a secret. */
  #resolve(
    ref: ToolRef,
    args: JsonObject,
    context: CallerContext,
    resumed?: Resumed,
  ): ResolvedCall | Promise<ResolvedCall> {
    const { tools, nativeTools, servers, access, released } = this.#options;
    if (released.aborted) throw new HostError("HOST_CLOSED", {});
    const found = tools.find(ref);
    const key = found ?? tools.parseRef(ref);
    if (key.server === NATIVE_SERVER_ID && !hasRight(holderOf(context.caller), "use_native_tools")) {
      throw unlistedTool(ref);
    }
    const hiddenUntilNeeded = found?.native !== undefined && nativeTools.isHiddenUntilNeeded(key.tool);
    if (found?.excluded || (found?.disabled && !hiddenUntilNeeded)) throw toolOffError(found);
    if (key.server === NATIVE_SERVER_ID) return this.#resolvedCall(key, args, context, resumed);
    const server = servers.find(key.server);
    if (!server) {
      const trusted = access.getTrusted(key.server, context.caller, context.signal);
      return trusted.then(() => this.#resolve(ref, args, context, resumed));
    }
    // The tool that logs in at the server. It is no longer listed after the login.
    if (found?.native) return this.#resolvedCall(key, args, context, resumed, server, undefined, found);
    const leased = server.leaseFor(context);
    if (!(leased instanceof Promise)) return this.#resolvedCall(key, args, context, resumed, server, leased);
    return leased.then((connection) => this.#resolvedCall(key, args, context, resumed, server, connection));
  }

  #resolvedCall(
    { server: id, tool }: ToolKey,
    args: JsonObject,
    context: CallerContext,
    resumed: Resumed | undefined,
    server?: WorkspaceServer,
    connection?: Connection,
    login?: ResolvedTool,
  ): ResolvedCall {
    const { tools, access, policy, released } = this.#options;
    const key = { server: id, tool };
    // A server that is not connected yet lists its tools when it connects, and the call checks again then.
    const toolsAreListed = !connection || connection.state.phase === "ready";
    if (toolsAreListed && !tools.find(key)) throw tools.notFound(key);
    const definition = server?.definition;
    const request = server ? undefined : tools.find(key)?.native?.requestOf?.(args);
    // Spreading objects here would cost as much as the rest of the call's preparation.
    return {
      server: id,
      tool,
      arguments: args,
      request,
      find: login ? () => login : () => tools.find(key),
      connection,
      askForLogin: server && access.askForLogin(server),
      policy: context.policy ?? policy,
      definitionHash: this.#definitionHash(server, request),
      trustsAnnotations: definition?.trustAnnotations ?? false,
      sampling: definition?.sampling ?? false,
      released,
      timeoutMs: definition?.requestTimeoutMs ?? 0,
      maxMs: definition?.maxTimeoutMs ?? 0,
      resumed,
    };
  }

  #definitionHash(server: WorkspaceServer | undefined, request: NativeRequest | undefined): string {
    const { access, folder } = this.#options;
    // Throws if models can't use the server, before anyone is asked.
    if (request) return access.getForModel(request.server).definitionHash;
    // A decision about a native tool applies to this folder only.
    return server?.definitionHash ?? canonicalDigest({ folder });
  }
}

/** Suggests no other name, because the caller must not learn the names of other tools. */
function unlistedTool(ref: ToolRef): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: typeof ref === "string" ? ref : `${ref.server}:${ref.tool}` });
}
