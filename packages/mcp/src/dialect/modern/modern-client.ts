/**
 * The client side of the modern revision. There is no handshake, and the server sends no requests: each call is a
 * `ModernCall`, each change subscription a `Subscription`.
 */
import { isJsonObject, principalIdOf } from "@plugboard/contracts";
import type { HostError, JsonObject, Tool } from "@plugboard/contracts";
import { METHOD_NOT_FOUND } from "../../wire/rpc-error-codes.ts";
import type { RpcResponse } from "../../wire/outgoing-request.ts";
import type { NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { parseChange } from "../../session/change-notification.ts";
import { NO_CAPABILITIES } from "../../session/identity.ts";
import type { DeclaredCapabilities } from "../../session/identity.ts";
import { isInteractive, unsupportedMethodError, wireMethod } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import { failedOutcome } from "../../session/outcome.ts";
import type { Outcome } from "../../session/outcome.ts";
import { parseLogEntry } from "../../session/parse-log-entry.ts";
import type { ServerInfo } from "../../session/server-info.ts";
import type {
  CallContext,
  Change,
  ChangeFilter,
  ChangeSubscription,
  Session,
  SessionPorts,
} from "../../session/session.ts";
import { ModernCall } from "./modern-call.ts";
import type { ModernCallSession } from "./modern-call.ts";
import { ToolParamHeaders } from "./param-headers.ts";
import { requestHeaders } from "./request-headers.ts";
import { requestMeta } from "./request-meta.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { SubscriptionsOptions } from "./subscriptions.ts";

export interface ModernClientOptions extends SubscriptionsOptions {
  readonly serverInfo: ServerInfo;
  readonly ports: SessionPorts;
  readonly onClosed: (error: HostError) => void;
}

const NO_HEADERS: WireHeaders = {};
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

export class ModernClient implements Session {
  readonly era = "modern";
  readonly canBeForgotten = false;
  /** A question is the result of its call, so its owner is always known. */
  readonly turns = "never";
  readonly version: string;
  readonly serverInfo: ServerInfo;

  readonly #options: ModernClientOptions;
  readonly #peer: Peer;
  /** If true, a request is cancelled by a notification; otherwise by closing its stream. */
  readonly #multiplexed: boolean;
  readonly #callSession: ModernCallSession;
  readonly #subscriptions: Subscriptions;
  readonly #paramHeaders = new ToolParamHeaders();
  /** The running requests whose callers want log entries. */
  readonly #logContexts = new Map<RequestId, CallContext>();

  constructor(options: ModernClientOptions) {
    const { server, peer, clock, random, envelope, ports } = options;
    this.#options = options;
    this.#peer = peer;
    this.version = envelope.version;
    this.serverInfo = options.serverInfo;
    this.#multiplexed = peer.transport.multiplexed;
    this.#subscriptions = new Subscriptions({ server, peer, envelope, clock, random });
    this.#callSession = {
      server,
      clock,
      roots: ports.roots,
      paramHeaders: this.#paramHeaders,
      onCannotAsk: ports.onCannotAsk,
      send: (op, ctx, maxMs, extra) => this.#send(op, ctx, maxMs, extra),
    };
    peer.revision = this.version;
    peer.setEventHandlers({
      request: (message) => this.#rejectRequest(message),
      notification: (message, relatedRequestId) => this.#onNotification(message, relatedRequestId),
      closed: options.onClosed,
    });
  }

  get ignoredMessages(): number {
    return this.#peer.ignoredMessages;
  }

  get mayBeBusy(): boolean {
    return this.#peer.mayBeBusy;
  }

  async request(op: Op, ctx: CallContext): Promise<Outcome> {
    const unsupported = unsupportedMethodError(this.#options.server, this.serverInfo, op);
    if (unsupported) return failedOutcome(unsupported);
    return new ModernCall(this.#callSession, op, ctx.maxMs).run(ctx);
  }

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    return this.#subscriptions.add(filter, onChange);
  }

  /** Rejects tools whose parameter headers are invalid. Only a transport with one stream per request has headers. */
  unusableReason(tool: Tool): string | undefined {
    return this.#multiplexed ? undefined : this.#paramHeaders.update(tool);
  }

  /** A modern server logs only during requests that ask for it. */
  setLogLevel(): void {}

  /** Sends no notification: the modern era has none for roots, and servers request the roots when they need them. */
  notifyRootsChanged(): void {}

  async ping(signal: AbortSignal): Promise<void> {
    const method = "server/discover";
    const headers = requestHeaders(this.version, method);
    const params = () => ({ _meta: requestMeta(this.#options.envelope, NO_CAPABILITIES) });
    await this.#peer.request(method, params, { signal, headers, sendCancelled: this.#multiplexed }).response;
  }

  async close(): Promise<void> {
    this.#subscriptions.stop();
    await this.#peer.close();
  }

  async #send(op: Op, ctx: CallContext, maxMs: number, extra: JsonObject): Promise<RpcResponse> {
    const { signal, timeoutMs, onProgress, onLog } = ctx;
    const request = this.#peer.request(wireMethod(op), (id) => this.#params(op, ctx, extra, id), {
      signal,
      timeoutMs,
      maxMs,
      onProgress,
      headers: this.#headers(op),
      sendCancelled: this.#multiplexed,
    });
    if (!onLog) return request.response;
    this.#logContexts.set(request.id, ctx);
    try {
      return await request.response;
    } finally {
      this.#logContexts.delete(request.id);
    }
  }

  #params(op: Op, ctx: CallContext, extra: JsonObject, id: number): JsonObject {
    const opParams = op.method === "extension" ? op.params.params : op.params;
    const { resumed: _, ...params } = opParams as JsonObject;
    const { logLevel, trace } = ctx;
    const progressToken = isInteractive(op) ? id : undefined;
    const meta = requestMeta(this.#options.envelope, this.#capabilities(op, ctx), { progressToken, logLevel, trace });
    return { ...params, ...extra, _meta: { ...ctx.meta, ...meta } };
  }

  /** Declares only the capabilities that the server may use for this request. */
  #capabilities(op: Op, ctx: CallContext): DeclaredCapabilities {
    const { elicitation, sampling = false, tasks = false, extensions = this.#options.ports.extensions } = ctx;
    const roots = ctx.roots === true || this.#options.ports.roots !== undefined;
    const mayUseTasks = op.method.startsWith("tasks/") || (Boolean(tasks) && op.method === "tools/call");
    if (!isInteractive(op)) return { ...NO_CAPABILITIES, tasks: mayUseTasks, extensions };
    return { elicitation, sampling, roots, tasks: mayUseTasks, extensions };
  }

  #headers(op: Op): WireHeaders {
    if (this.#multiplexed) return NO_HEADERS;
    const headers = requestHeaders(this.version, wireMethod(op), op.params);
    return op.method === "tools/call"
      ? { ...headers, ...this.#paramHeaders.forCall(op.params.name, op.params.arguments) }
      : headers;
  }

  #onNotification({ method, params }: NotificationMessage, relatedRequestId: RequestId | undefined): void {
    if (method === "notifications/message") return this.#onLog(params, relatedRequestId);
    if (method === "notifications/cancelled") return this.#subscriptions.onEndedByServer(params?.["requestId"]);
    const id = isJsonObject(params?.["_meta"]) ? params["_meta"][META_KEYS.subscriptionId] : undefined;
    if (method === ACKNOWLEDGED) return this.#subscriptions.onAcknowledged(id, relatedRequestId);
    const change = parseChange(method, params);
    if (change) this.#subscriptions.emit(change, id, relatedRequestId);
  }

  /**
   * A modern server logs only during requests that ask for it. Without a related request, the entry belongs to the only
   * such request, or to the principal of all of them. Any other entry is only in the log of the server.
   */
  #onLog(params: JsonObject | undefined, relatedRequestId: RequestId | undefined): void {
    const entry = parseLogEntry(params);
    if (!entry) return;
    this.#options.ports.onAnyLog?.(entry);
    const contexts = this.#logContexts;
    const [onlyContext] = contexts.size === 1 ? contexts.values() : [];
    const ctx = relatedRequestId === undefined ? onlyContext : contexts.get(relatedRequestId);
    if (ctx) return ctx.onLog?.(entry);
    if (relatedRequestId !== undefined) return;
    const [principal, ...others] = new Set([...contexts.values()].map(({ caller }) => principalIdOf(caller)));
    if (principal !== undefined && others.length === 0) this.#options.ports.onLog?.(entry, principal);
  }

  /** A modern server must not send requests. Over HTTP there is no way to answer them. */
  #rejectRequest({ id, method }: RequestMessage): void {
    if (!this.#multiplexed) return this.#peer.forget(id);
    this.#peer.respondWithError(id, {
      code: METHOD_NOT_FOUND,
      message: `${method} is not a request a server may send`,
    });
  }
}
