/**
 * MCP over Streamable HTTP. Each message is a POST. Its response is JSON or an SSE stream. A server with sessions may
 * also send messages on a GET stream. The messages on a POST's stream belong to that request. No message is sent twice.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { PeerError } from "@plugboard/contracts";
import type { ParsedMessage, Message, RequestId } from "../../wire/message.ts";
import { INVALID_REQUEST, SERVER_ERROR } from "../../wire/rpc-error-codes.ts";
import type { Transport, TransportEvents, WireHeaders } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/message.ts";
import { RequestAborter } from "../http/request-aborter.ts";
import { HttpResponseStream } from "./http-response-stream.ts";
import { HttpClient } from "../http/http-client.ts";
import type { HttpClientOptions } from "../http/http-client.ts";
import { PushStream } from "./push-stream.ts";
import { isStatusConclusive } from "../http/http-status-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { isTransientError, resumeStream } from "./resume-stream.ts";
import { matchResponse } from "./match-response.ts";
import { parseMessage } from "../messages/parse-message.ts";

export interface HttpTransportOptions extends HttpClientOptions {
  /** How long the server may take to accept a notification or a response. */
  readonly acceptTimeoutMs?: number;
  readonly random?: () => number;
}

/** A request that has been sent. */
interface SentRequest {
  readonly id: RequestId;
  readonly aborter: RequestAborter;
  /** The session in which the request was sent. */
  readonly session: string | undefined;
}

interface CachedHeaders {
  readonly input: WireHeaders;
  readonly session: string | undefined;
  readonly merged: WireHeaders;
}

const DELETE_TIMEOUT_MS = 2000;
export const DEFAULT_ACCEPT_TIMEOUT_MS = 10_000;
/** How many notifications and responses may be in flight at once. */
const MAX_ONE_WAY_SENDS = 1024;

const NO_HEADERS: WireHeaders = {};
const POST_HEADERS: WireHeaders = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};
const STREAM_HEADERS: WireHeaders = { accept: "text/event-stream" };

export class HttpTransport implements Transport {
  readonly multiplexed = false;

  readonly #client: HttpClient;
  readonly #acceptTimeoutMs: number;
  readonly #random: () => number;
  readonly #requests = new Map<RequestId, RequestAborter>();
  readonly #oneWaySends = new Set<RequestAborter>();
  #events: TransportEvents | undefined;
  #session: string | undefined;
  #push: PushStream | undefined;
  /** Headers of all messages in a session. Streams are resumed only if there is a session. */
  #sessionHeaders: WireHeaders | undefined;
  #cachedHeaders: CachedHeaders | undefined;
  #closed = false;

  constructor(options: HttpTransportOptions) {
    const { acceptTimeoutMs = DEFAULT_ACCEPT_TIMEOUT_MS, random = Math.random } = options;
    this.#client = new HttpClient(options);
    this.#acceptTimeoutMs = acceptTimeoutMs;
    this.#random = random;
  }

  start(events: TransportEvents): void {
    this.#events = events;
  }

  async send(message: Message, headers: WireHeaders = NO_HEADERS): Promise<void> {
    if ("method" in message && "id" in message) await this.#sendRequest(message.id, message, headers);
    else await this.#sendOneWay(message, headers);
  }

  openPushStream(headers: WireHeaders): void {
    if (this.#closed) return;
    this.#sessionHeaders = headers;
    this.#push?.stop();
    this.#push = new PushStream({
      client: this.#client,
      headers: this.#streamHeaders(this.#session),
      random: this.#random,
      deliver: (incoming) => this.#onPushedMessage(incoming),
    });
  }

  beginNewSession(): () => void {
    const previousSession = this.#session;
    this.#session = undefined;
    return () => void (this.#session = previousSession);
  }

  closeRequestStream(id: RequestId): void {
    this.#requests.get(id)?.abort();
    this.#requests.delete(id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#push?.stop();
    for (const aborter of [...this.#requests.values(), ...this.#oneWaySends]) aborter.abort();
    this.#requests.clear();
    if (this.#session !== undefined) await this.#deleteSession(this.#session);
    await this.#client.close();
  }

  /**
   * Handles a message from the GET stream. A response should come on the stream of its request. If one comes here, the
   * stream of its request is closed.
   */
  #onPushedMessage(incoming: ParsedMessage): void {
    this.#events?.message(incoming);
    if (incoming.type !== "result" && incoming.type !== "error") return;
    if (incoming.message.id !== undefined) this.closeRequestStream(incoming.message.id);
  }

  async #sendRequest(id: RequestId, message: Message, headers: WireHeaders): Promise<void> {
    const aborter = new RequestAborter();
    this.#requests.set(id, aborter);
    try {
      // Waits for the GET stream, so that no message from the server is lost.
      if (this.#push?.isOpening) await this.#push.opened;
      const session = this.#session;
      const response = await this.#post(message, headers, aborter);
      // Only the request that opens a session is sent without one. Other responses may name an old session.
      const newSession = session === undefined && response.status < 300 ? response.header("mcp-session-id") : undefined;
      if (newSession !== undefined) this.#session = newSession;
      await this.#readResponse({ id, aborter, session: newSession ?? session }, response);
    } catch (thrown) {
      // Nobody waits for the response to an aborted request.
      if (!aborter.aborted) this.#events?.requestFailed(id, toHostError(thrown));
    } finally {
      this.#requests.delete(id);
    }
  }

  /** Reads the response to a request. A response with an error status is never a success, whatever its body says. */
  async #readResponse(sent: SentRequest, response: HttpResponse): Promise<void> {
    if (response.isEventStream) return this.#readStream(sent, response);
    const { status, mediaType } = response;
    const inSession = sent.session !== undefined;
    if (inSession && status === 404) throw this.#sessionLostError(response);
    if (inSession && status === 400 && mediaType !== "application/json") {
      throw this.#sessionLostError(response, this.#client.statusError(response));
    }
    if (isStatusConclusive(response) || mediaType !== "application/json")
      throw this.#client.statusError(response, describeMissingResponse(response));
    const text = await this.#client.text(response);
    const incoming = parseMessage(text);
    const matched = matchResponse(incoming, sent.id);
    if (inSession && status === 400 && mayMeanSessionLost(matched)) {
      throw this.#sessionLostError(
        response,
        matched?.type === "error" ? matched.message.error : this.#client.statusError(response),
      );
    }
    if (matched?.type === "error" || (matched?.type === "result" && status < 300))
      return this.#events?.message(matched, sent.id);
    throw this.#client.statusError(response, status < 300 ? describeWrongBody(text, incoming) : undefined);
  }

  async #readStream({ id, aborter, session }: SentRequest, response: HttpResponse): Promise<void> {
    const stream = new HttpResponseStream(this.#client, id, (incoming) => this.#events?.message(incoming, id));
    const error = await stream.read(response);
    if (!error) return;
    if (!this.#sessionHeaders || stream.position.lastEventId === undefined || !isTransientError(error)) throw error;
    const headers = this.#streamHeaders(session);
    await resumeStream({ client: this.#client, stream, headers, aborter, random: this.#random });
  }

  /** Sends a notification or a response. */
  async #sendOneWay(message: Message, headers: WireHeaders): Promise<void> {
    const { server } = this.#client;
    if (this.#oneWaySends.size >= MAX_ONE_WAY_SENDS)
      throw new HostError("TOO_MANY_CALLS", { server, limit: MAX_ONE_WAY_SENDS });
    const aborter = new RequestAborter();
    const session = this.#session;
    this.#oneWaySends.add(aborter);
    try {
      const response = await this.#post(message, headers, aborter, this.#acceptTimeoutMs);
      const { status } = response;
      if (status === 404 && session !== undefined) throw this.#sessionLostError(response);
      if (status >= 300) throw this.#client.statusError(response);
      void response.discard();
    } catch (thrown) {
      if (this.#closed) throw new HostError("CONNECTION_CLOSED", { server });
      throw aborter.aborted
        ? this.#client.connectionLost(`it did not accept a message in ${this.#acceptTimeoutMs} ms`)
        : thrown;
    } finally {
      this.#oneWaySends.delete(aborter);
    }
  }

  #post(message: Message, headers: WireHeaders, aborter: RequestAborter, timeoutMs?: number): Promise<HttpResponse> {
    const body = serializeMessage(message);
    return this.#client.open({ method: "POST", headers: this.#postHeaders(headers), body, timeoutMs }, aborter);
  }

  /** Adds the headers of every POST. Caches the last result, because most requests have the same headers. */
  #postHeaders(input: WireHeaders): WireHeaders {
    const session = this.#session;
    const cached = this.#cachedHeaders;
    if (cached?.input === input && cached.session === session) return cached.merged;
    const merged = this.#client.headers(input, POST_HEADERS, session !== undefined && { "mcp-session-id": session });
    this.#cachedHeaders = { input, session, merged };
    return merged;
  }

  #streamHeaders(session: string | undefined): WireHeaders {
    const sessionId = session !== undefined && { "mcp-session-id": session };
    return this.#client.headers(this.#sessionHeaders, STREAM_HEADERS, sessionId);
  }

  /** `cause` is the server's own error. It matters if the lost session was not the real reason. */
  #sessionLostError(response: HttpResponse, cause?: PeerError | HostError): HostError {
    void response.discard();
    return new HostError("SESSION_LOST", { server: this.#client.server }, cause && { cause });
  }

  async #deleteSession(session: string): Promise<void> {
    const aborter = new RequestAborter();
    const stopTimer = this.#client.clock.after(DELETE_TIMEOUT_MS, () => aborter.abort());
    try {
      const response = await this.#client.open({ method: "DELETE", headers: this.#streamHeaders(session) }, aborter);
      await response.discard();
    } catch {
      // Errors do not matter: the server drops the session by itself.
    } finally {
      stopTimer();
    }
  }
}

function describeMissingResponse({ status, mediaType }: HttpResponse): string | undefined {
  if (status >= 300) return undefined;
  if (status === 202) return "it accepted a request without responding (HTTP status 202)";
  return `HTTP status ${status} with ${mediaType || "no content type"}`;
}

function describeWrongBody(text: string, incoming: ParsedMessage): string {
  if (text === "") return "an empty body";
  return incoming.type === "malformed" ? incoming.reason : "a message that is not the response";
}

/**
 * Returns false for a result, or an error about the request itself. Many servers reject an unknown session with 400 and a
 * generic error, instead of 404.
 */
function mayMeanSessionLost(response: ParsedMessage | undefined): boolean {
  if (response?.type === "result") return false;
  if (response?.type !== "error") return true;
  const { code } = response.message.error;
  return code === INVALID_REQUEST || code === SERVER_ERROR;
}
