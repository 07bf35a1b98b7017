/**
 * Serves MCP clients over Streamable HTTP at one URL: legacy clients, which open a session with `initialize`, and
 * modern ones, whose requests are stateless. The requests have already been authenticated.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_TABLE, systemClock } from "@plugboard/contracts";
import type { Caller, HostError, PeerError, Principal, Clock } from "@plugboard/contracts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { isSubscription, ModernServer } from "../dialect/modern/modern-server.ts";
import { NEWEST_LEGACY, NEWEST_MODERN } from "../session/revisions.ts";
import { ArrivingBodies } from "./arriving-bodies.ts";
import { onClientDisconnect } from "./client-disconnect.ts";
import { CallStream, parseEventId } from "./call-stream.ts";
import { HttpReply } from "./http-reply.ts";
import { parseMessage } from "../transport/messages/parse-message.ts";
import { isModernHttpRequest, ModernRequestCheck } from "./modern-request-check.ts";
import { ParseTurns } from "./parse-turns.ts";
import { PipelineLimiter } from "./pipeline-limiter.ts";
import { readBody } from "../transport/http/read-body.ts";
import type { ParsedMessage, Message, RequestMessage } from "../wire/message.ts";
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  PARSE_ERROR,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../wire/rpc-error-codes.ts";
import { HttpSessions } from "./http-sessions.ts";
import type { HttpSession, OnSessionEnded, SessionRefusal } from "./http-sessions.ts";

export interface HttpFrontOptions {
  readonly handler: McpRequestHandler;
  readonly maxMessageBytes?: number;
  /** Shared by all fronts whose sessions count together. */
  readonly sessions?: HttpSessions;
  /** Shared by all fronts whose request bodies count together. */
  readonly arrivingBodies?: ArrivingBodies;
  readonly onSessionEnded?: OnSessionEnded | undefined;
  /** How long a legacy call keeps running after its client has disconnected. */
  readonly resumeWindowMs?: number;
  readonly clock?: Clock;
}

const DEFAULTS = {
  maxMessageBytes: 16 * 1024 * 1024,
  resumeWindowMs: 30_000,
  clock: systemClock,
};

export class HttpFront {
  readonly #options: Required<Omit<HttpFrontOptions, "onSessionEnded" | "sessions" | "arrivingBodies">>;
  readonly #onSessionEnded: OnSessionEnded | undefined;
  readonly #sessions: HttpSessions;
  readonly #arrivingBodies: ArrivingBodies;
  readonly #pipelineLimiter = new PipelineLimiter();
  readonly #parseTurns: ParseTurns;
  /** The POST requests that are queued or have not arrived in full, with the principal of each. */
  readonly #arriving = new Map<ServerResponse, Principal>();
  /** The modern requests that are being handled, with the principal of each. */
  readonly #modernServers = new Map<ModernServer, Principal>();
  readonly #modernRequestCheck: ModernRequestCheck;
  #lastStreamId = 0;
  /** Responses that clients are waiting for, without the long-lived notification streams. */
  readonly #pendingResponses = new Set<ServerResponse>();

  constructor(options: HttpFrontOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#parseTurns = new ParseTurns(this.#options.clock);
    this.#onSessionEnded = options.onSessionEnded;
    this.#sessions = options.sessions ?? new HttpSessions(this.#options.clock);
    this.#arrivingBodies = options.arrivingBodies ?? new ArrivingBodies();
    this.#modernRequestCheck = new ModernRequestCheck(options.handler);
  }

  /**
   * `principal` is the holder of the token of this request. Each response must emit `close` when its connection closes.
   * Node emits it only for the first response of a connection, so the server must emit it for the others. Throws
   * TOO_MANY_REQUESTS if too many bytes of the principal's requests are arriving.
   */
  async handle(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
    if (request.method !== "GET") this.#pendingResponses.add(response);
    if (request.method === "POST") this.#arriving.set(response, principal);
    response.once("close", () => {
      this.#pendingResponses.delete(response);
      this.#arriving.delete(response);
    });
    if (!(await this.#pipelineLimiter.enter(request, response))) return;
    // The host was closed or the token was revoked while the request was queued, so the request is already answered.
    if (response.writableEnded || response.destroyed) return;
    switch (request.method) {
      case "POST":
        return this.#handlePost(request, response, principal);
      case "GET":
        return this.#handleGet(request, response, principal);
      case "DELETE":
        return this.#handleDelete(request, response, principal);
      default:
        response.writeHead(405, { allow: "POST, GET, DELETE" }).end();
    }
  }

  /** True while a client is waiting for a response. */
  get busy(): boolean {
    return this.#pendingResponses.size > 0;
  }

  /** The number of open sessions. */
  get sessions(): number {
    return this.#sessions.count(this.#options.handler);
  }

  /** Answers pending requests with the error, if one is given, and ends all streams. */
  close(error?: HostError): void {
    this.#sessions.closeAll(this.#options.handler, error);
    for (const server of this.#modernServers.keys()) server.close(error);
  }

  /** Does the same as `close`, only for the sessions and requests of one principal. */
  closePrincipal(principal: string, error: HostError): void {
    this.#sessions.closeAll(this.#options.handler, error, principal);
    for (const [server, { id }] of this.#modernServers) if (id === principal) server.close(error);
    for (const [response, { id }] of this.#arriving) if (id === principal) refuseArriving(response, error);
  }

  async #handlePost(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
    const incoming = await this.#readMessage(request, response, principal);
    // The request may also have been answered while its body arrived, or waited to be parsed.
    if (response.writableEnded) return;
    this.#arriving.delete(response);
    if (!incoming) return rejectRequest(response, 413, { code: INVALID_REQUEST, message: "The message is too large" });
    if (incoming.type === "malformed") {
      const code = incoming.reason.startsWith("not JSON") ? PARSE_ERROR : INVALID_REQUEST;
      return rejectRequest(response, 400, { code, message: incoming.reason });
    }
    if (incoming.type === "request" && isModernHttpRequest(incoming.message, request.headers)) {
      return this.#handleModern(incoming.message, request, response, principal);
    }
    return this.#handleLegacy(incoming, request, response, principal);
  }

  /** Returns undefined if the message is too large. */
  async #readMessage(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): Promise<ParsedMessage | undefined> {
    // Does not read a body that is announced as too large. A client that waits for `100 Continue` need not send it.
    if (Number(request.headers["content-length"]) > this.#options.maxMessageBytes) return undefined;
    const arriving = this.#arrivingBodies.begin(principal.id);
    try {
      const body = await readBody(request, this.#options.maxMessageBytes, arriving);
      if (body === undefined) return undefined;
      return await this.#parseTurns.parse(principal.id, body.length, () => parseMessage(body));
    } catch (error) {
      // The rest of the body is not read.
      if (!response.headersSent) response.setHeader("connection", "close");
      throw error;
    } finally {
      arriving.end();
    }
  }

  /** Handles one stateless request. The request is cancelled when its stream closes. */
  async #handleModern(
    message: RequestMessage,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): Promise<void> {
    // Modern requests have no session, so all requests of a principal count as one session.
    const session: Caller = { kind: "front", id: principal.id, principal };
    const error = this.#modernRequestCheck.error(message, request.headers, session);
    if (error) return rejectRequest(response, 400, error, message);
    // Gives each request a caller id of its own. The token alone can't tell two clients apart, and a question must not
    // reach another client's call.
    const caller: Caller = { kind: "front", id: randomUUID(), principal };
    const { handler, clock } = this.#options;
    const server = new ModernServer({ handler, caller, session, clock });
    if (isSubscription(message.method)) this.#pendingResponses.delete(response);
    this.#modernServers.set(server, principal);
    await server.receive(message, new HttpReply(response, modernStatus), (listener) =>
      onClientDisconnect(request, response, listener),
    );
    this.#modernServers.delete(server);
  }

  async #handleLegacy(
    incoming: ParsedMessage,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): Promise<void> {
    const session = this.#sessionFor(incoming, request, response, principal);
    if (!session) return;
    if (incoming.type !== "request") {
      session.server.receive(incoming, new HttpReply(response), { principal });
      response.writeHead(202).end();
      return;
    }
    const stream = this.#openStream(session, request, response);
    session.server.receive(incoming, stream, { principal, onDisconnect: stream.onLost });
  }

  #openStream(session: HttpSession, request: IncomingMessage, response: ServerResponse): CallStream {
    const { clock, resumeWindowMs } = this.#options;
    const id = String(++this.#lastStreamId);
    const acceptsStream = request.headers.accept?.includes("text/event-stream") === true;
    const stream = new CallStream({
      id,
      request,
      response,
      clock,
      resumeWindowMs,
      primed: acceptsStream && session.server.revision.hasEmptyEvents,
      onClosed: () => void session.streams.delete(id),
    });
    session.streams.set(id, stream);
    return stream;
  }

  /** Opens a session for an `initialize` request. Returns undefined if the request was rejected. */
  #sessionFor(
    incoming: ParsedMessage,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): HttpSession | undefined {
    if (incoming.type === "request" && incoming.message.method === "initialize") {
      const { handler } = this.#options;
      const opened = this.#sessions.open({ handler, principal, onEnded: this.#onSessionEnded });
      if ("scope" in opened) {
        refuseSession(response, opened);
        return undefined;
      }
      response.setHeader("mcp-session-id", opened.id);
      return opened;
    }
    return this.#requireSession(request, response, principal);
  }

  #requireSession(request: IncomingMessage, response: ServerResponse, principal: Principal): HttpSession | undefined {
    const id = request.headers["mcp-session-id"];
    if (typeof id !== "string") {
      rejectRequest(response, 400, { code: INVALID_REQUEST, message: "Mcp-Session-Id is missing: initialize first" });
      return undefined;
    }
    const session = this.#sessions.find(id, this.#options.handler, principal);
    if (!session)
      rejectRequest(response, 404, {
        code: INVALID_REQUEST,
        message: "There is no such session, or it has ended: initialize again",
      });
    return session;
  }

  #handleGet(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    if (request.headers["mcp-session-id"] === undefined) {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const session = this.#requireSession(request, response, principal);
    if (!session) return;
    const lastEventId = request.headers["last-event-id"];
    if (typeof lastEventId === "string") return resumeStream(session, lastEventId, request, response);
    session.push?.end();
    const push = new HttpReply(response);
    push.startStream();
    session.push = push;
    const endRequest = session.server.beginRequest();
    response.once("close", () => {
      endRequest();
      if (session.push === push) session.push = undefined;
    });
  }

  #handleDelete(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    const session = this.#requireSession(request, response, principal);
    if (!session) return;
    this.#sessions.close(session.id);
    response.writeHead(200).end();
  }
}

/** Answers a request before it has arrived in full. The rest of it is not read. */
function refuseArriving(response: ServerResponse, error: HostError): void {
  if (response.headersSent) return;
  response.setHeader("connection", "close");
  rejectRequest(response, ERROR_TABLE[error.code].http, { code: INVALID_REQUEST, message: error.message });
}

const RETRY_SESSION_SECONDS = 60;

function refuseSession(response: ServerResponse, { scope, limit }: SessionRefusal): void {
  const [status, holder] = scope === "principal" ? [429, "This token"] : [503, "This gateway"];
  const message = `${holder} has ${limit} open sessions, and no more are allowed. End some of them with DELETE, or try again later.`;
  response.setHeader("retry-after", RETRY_SESSION_SECONDS);
  rejectRequest(response, status, { code: INVALID_REQUEST, message });
}

function resumeStream(
  session: HttpSession,
  lastEventId: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const last = parseEventId(lastEventId);
  const stream = last && session.streams.get(last.stream);
  if (stream) return stream.resume(request, response, last.number);
  rejectRequest(response, 400, { code: INVALID_REQUEST, message: "This stream has ended and can't be resumed" });
}

/** Maps a JSON-RPC error to the HTTP status that the modern revision prescribes. */
function modernStatus(message: Message): number {
  if (!("error" in message)) return 200;
  switch (message.error.code) {
    case METHOD_NOT_FOUND:
      return 404;
    case HEADER_MISMATCH:
    case MISSING_CLIENT_CAPABILITY:
    case UNSUPPORTED_PROTOCOL_VERSION:
    case INVALID_PARAMS:
      return 400;
    default:
      return 200;
  }
}

/** Rejects a request before a session handles it. `request` is given only for a modern request. */
function rejectRequest(response: ServerResponse, status: number, error: PeerError, request?: RequestMessage): void {
  const revision = request ? NEWEST_MODERN.name : NEWEST_LEGACY.name;
  const reply = new HttpReply(response, () => status);
  reply.send({ jsonrpc: "2.0", ...(request && { id: request.id }), error }, revision, request?.method ?? "");
}
