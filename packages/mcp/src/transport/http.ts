/**
 * MCP over Streamable HTTP: a POST for every message, its answer as JSON or as a
 * stream of events, and (where a server keeps sessions) a GET stream for what it
 * says of its own accord. Each request's answer comes on that request's own
 * stream, so what arrives there names its call. Nothing is sent twice.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { PeerError } from "@plugboard/contracts";
import type { Incoming, Message, RequestId } from "../wire/message.ts";
import { INVALID_REQUEST, UNNAMED_ERROR } from "../wire/rpc-codes.ts";
import type { Transport, TransportEvents, WireHeaders } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { Breaker } from "./breaker.ts";
import { AnswerStream } from "./http-answer.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpClientOptions } from "./http-client.ts";
import { PushStream } from "./http-push.ts";
import { isFinal } from "./http-refusal.ts";
import type { HttpResponse } from "./http-response.ts";
import { isPassing, resume } from "./http-resume.ts";
import { ownAnswer } from "./own-answer.ts";
import { parseMessage } from "./parse-message.ts";

export interface HttpOptions extends HttpClientOptions {
  /** How long a message that has no answer may take to be accepted. */
  readonly acceptTimeoutMs?: number;
  readonly random?: () => number;
}

/** A request of ours that has been sent. */
interface Sent {
  readonly id: RequestId;
  readonly breaker: Breaker;
  /** The session it was sent in. */
  readonly session: string | undefined;
}

interface MadeHeaders {
  readonly from: WireHeaders;
  readonly session: string | undefined;
  readonly made: WireHeaders;
}

const GOODBYE_MS = 2000;
export const ACCEPT_MS = 10_000;
/** Messages without an answer that may be on their way at once. */
const MAX_TELLING = 1024;

const NO_HEADERS: WireHeaders = {};
const POST_HEADERS: WireHeaders = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};
const STREAM_HEADERS: WireHeaders = { accept: "text/event-stream" };

export class HttpTransport implements Transport {
  readonly shared = false;

  readonly #client: HttpClient;
  readonly #acceptMs: number;
  readonly #random: () => number;
  readonly #requests = new Map<RequestId, Breaker>();
  readonly #telling = new Set<Breaker>();
  #events: TransportEvents | undefined;
  #session: string | undefined;
  #push: PushStream | undefined;
  /** What accompanies everything in a session; only where there are sessions is a stream gone on with. */
  #sessionHeaders: WireHeaders | undefined;
  #lastHeaders: MadeHeaders | undefined;
  #closed = false;

  constructor(options: HttpOptions) {
    const { acceptTimeoutMs = ACCEPT_MS, random = Math.random } = options;
    this.#client = new HttpClient(options);
    this.#acceptMs = acceptTimeoutMs;
    this.#random = random;
  }

  start(events: TransportEvents): void {
    this.#events = events;
  }

  async send(message: Message, headers: WireHeaders = NO_HEADERS): Promise<void> {
    if ("method" in message && "id" in message) await this.#exchange(message.id, message, headers);
    else await this.#tell(message, headers);
  }

  openPush(headers: WireHeaders): void {
    if (this.#closed) return;
    this.#sessionHeaders = headers;
    this.#push?.stop();
    this.#push = new PushStream({
      client: this.#client,
      headers: this.#streamHeaders(this.#session),
      random: this.#random,
      deliver: (incoming) => this.#pushed(incoming),
    });
  }

  newSession(): () => void {
    const before = this.#session;
    this.#session = undefined;
    return () => void (this.#session = before);
  }

  drop(id: RequestId): void {
    this.#requests.get(id)?.break();
    this.#requests.delete(id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#push?.stop();
    for (const breaker of [...this.#requests.values(), ...this.#telling]) breaker.break();
    this.#requests.clear();
    if (this.#session !== undefined) await this.#goodbye(this.#session);
    await this.#client.close();
  }

  /** An answer has no business here; the stream it should have come on is not kept open for it. */
  #pushed(incoming: Incoming): void {
    this.#events?.message(incoming);
    if (incoming.type !== "result" && incoming.type !== "error") return;
    if (incoming.message.id !== undefined) this.drop(incoming.message.id);
  }

  async #exchange(id: RequestId, message: Message, headers: WireHeaders): Promise<void> {
    const breaker = new Breaker();
    this.#requests.set(id, breaker);
    try {
      // What it causes the server to say of its own accord would find nobody listening.
      if (this.#push?.isAsking) await this.#push.asked;
      const session = this.#session;
      const response = await this.#post(message, headers, breaker);
      // Only the request that opens a session is sent without one; what others say of it may be old.
      const opened = session === undefined && response.status < 300 ? response.header("mcp-session-id") : undefined;
      if (opened !== undefined) this.#session = opened;
      await this.#readAnswer({ id, breaker, session: opened ?? session }, response);
    } catch (thrown) {
      // Dropped by us: whoever dropped it no longer waits.
      if (!breaker.broken) this.#events?.lost(id, toHostError(thrown));
    } finally {
      this.#requests.delete(id);
    }
  }

  /** The status counts before the body does: what is refused is no success, whatever it says. */
  async #readAnswer(sent: Sent, response: HttpResponse): Promise<void> {
    if (response.isEventStream) return this.#readStream(sent, response);
    const { status, type } = response;
    const inSession = sent.session !== undefined;
    if (inSession && status === 404) throw this.#sessionLost(response);
    if (inSession && status === 400 && type !== "application/json") {
      throw this.#sessionLost(response, this.#client.refused(response));
    }
    if (isFinal(response) || type !== "application/json") throw this.#client.refused(response, noAnswer(response));
    const text = await this.#client.text(response);
    const incoming = parseMessage(text);
    const own = ownAnswer(incoming, sent.id);
    if (inSession && status === 400 && mayMeanSession(own)) {
      throw this.#sessionLost(response, own?.type === "error" ? own.message.error : this.#client.refused(response));
    }
    if (own?.type === "error" || (own?.type === "result" && status < 300)) return this.#events?.message(own, sent.id);
    const what = incoming.type === "malformed" ? incoming.why : "a message that is not the answer";
    throw this.#client.refused(response, status >= 300 ? undefined : text === "" ? "an empty body" : what);
  }

  async #readStream({ id, breaker, session }: Sent, response: HttpResponse): Promise<void> {
    const stream = new AnswerStream(this.#client, id, (incoming) => this.#events?.message(incoming, id));
    const why = await stream.read(response);
    if (!why) return;
    if (!this.#sessionHeaders || stream.position.lastId === undefined || !isPassing(why)) throw why;
    const headers = this.#streamHeaders(session);
    await resume({ client: this.#client, stream, headers, breaker, random: this.#random });
  }

  /** A message that has no answer of its own: it is accepted or it is not. */
  async #tell(message: Message, headers: WireHeaders): Promise<void> {
    const { server } = this.#client;
    if (this.#telling.size >= MAX_TELLING) throw new HostError("TOO_MANY_CALLS", { server, limit: MAX_TELLING });
    const breaker = new Breaker();
    const session = this.#session;
    this.#telling.add(breaker);
    try {
      const response = await this.#post(message, headers, breaker, this.#acceptMs);
      const { status } = response;
      if (status === 404 && session !== undefined) throw this.#sessionLost(response);
      if (status >= 300) throw this.#client.refused(response);
      void response.discard();
    } catch (thrown) {
      if (this.#closed) throw new HostError("CONNECTION_CLOSED", { server });
      throw breaker.broken ? this.#client.lost(`it did not accept a message in ${this.#acceptMs} ms`) : thrown;
    } finally {
      this.#telling.delete(breaker);
    }
  }

  #post(message: Message, headers: WireHeaders, breaker: Breaker, withinMs?: number): Promise<HttpResponse> {
    const body = writeMessage(message);
    return this.#client.open({ method: "POST", headers: this.#postHeaders(headers), body, withinMs }, breaker);
  }

  /** Mostly the same as the last time. */
  #postHeaders(from: WireHeaders): WireHeaders {
    const session = this.#session;
    const last = this.#lastHeaders;
    if (last?.from === from && last.session === session) return last.made;
    const made = this.#client.headers(from, POST_HEADERS, session !== undefined && { "mcp-session-id": session });
    this.#lastHeaders = { from, session, made };
    return made;
  }

  #streamHeaders(session: string | undefined): WireHeaders {
    const sessionId = session !== undefined && { "mcp-session-id": session };
    return this.#client.headers(this.#sessionHeaders, STREAM_HEADERS, sessionId);
  }

  /** With what was said instead, where it may have been meant otherwise. */
  #sessionLost(response: HttpResponse, cause?: PeerError | HostError): HostError {
    void response.discard();
    return new HostError("SESSION_LOST", { server: this.#client.server }, cause && { cause });
  }

  async #goodbye(session: string): Promise<void> {
    const breaker = new Breaker();
    const stopTimer = this.#client.clock.after(GOODBYE_MS, () => breaker.break());
    try {
      const response = await this.#client.open({ method: "DELETE", headers: this.#streamHeaders(session) }, breaker);
      await response.discard();
    } catch {
      // A courtesy; the server forgets the session by itself.
    } finally {
      stopTimer();
    }
  }
}

function noAnswer({ status, type }: HttpResponse): string | undefined {
  if (status >= 300) return undefined;
  if (status === 202) return "it took a request for one that needs no answer (HTTP status 202)";
  return `HTTP status ${status} with ${type || "no content type"}`;
}

/**
 * Many servers refuse a session they don't know with 400 instead of 404, in words or with an error of no name. What has
 * a result, or an error that is about the request itself, is taken at its word.
 */
function mayMeanSession(answer: Incoming | undefined): boolean {
  if (answer?.type === "result") return false;
  if (answer?.type !== "error") return true;
  const { code } = answer.message.error;
  return code === INVALID_REQUEST || code === UNNAMED_ERROR;
}
