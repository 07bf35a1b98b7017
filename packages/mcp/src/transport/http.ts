/**
 * MCP over Streamable HTTP: a POST for every message, its answer as JSON or as a
 * stream of events, and (where a server keeps sessions) a GET stream for what it
 * says of its own accord. Each request's answer comes on that request's own
 * stream, so what arrives there names its call.
 */
import { HostError } from "@plugboard/contracts";
import type { Agent, Dispatcher } from "undici";
import type { Incoming, Malformed, Message, RequestId } from "../wire/message.ts";
import type { Transport, TransportEvents, WireHeaders } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { networkFailure } from "./http-failure.ts";
import { mergeHeaders, urlCredentials } from "./http-headers.ts";
import { ownAnswer } from "./own-answer.ts";
import { parseMessage } from "./parse-message.ts";
import { readBody } from "./read-body.ts";
import { SseParser } from "./sse-parser.ts";

export interface HttpOptions {
  readonly server: string;
  readonly url: string;
  /** From the definition: sent with every request to this server, and nowhere else. */
  readonly headers: WireHeaders;
  readonly maxMessageBytes: number;
  /** How long a message that has no answer may take to be accepted. */
  readonly acceptTimeoutMs?: number;
}

type Response = Dispatcher.ResponseData;

const GOODBYE_MS = 2000;
const ACCEPT_MS = 10_000;
/** Messages without an answer that may be on their way at once. */
const MAX_TELLING = 1024;
/** A connection for every request that a peer may have in flight, and some on which their questions can be answered. */
const MAX_CONNECTIONS = 1024 + 64;
/** How long a stream that has said everything may stay open: one that is ended by the server can be used again. */
const LINGER_MS = 100;
const UNWANTED_BYTES = 64 * 1024;

const NOISE: Malformed = { type: "malformed", why: "not a message", like: "noise" };

export class HttpTransport implements Transport {
  readonly shared = false;

  readonly #options: HttpOptions;
  readonly #url: URL;
  readonly #agent: Promise<Agent>;
  readonly #streams = new Map<RequestId, AbortController>();
  readonly #ended = new AbortController();
  /** Failures from before there was a connection. */
  readonly #unconnected = new WeakSet<object>();
  #events: TransportEvents | undefined;
  #session: string | undefined;
  #telling = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#agent = this.#openAgent();
  }

  start(events: TransportEvents): void {
    this.#events = events;
  }

  async send(message: Message, headers: WireHeaders = {}): Promise<void> {
    if ("method" in message && "id" in message) await this.#exchange(message.id, message, headers);
    else await this.#tell(message, headers);
  }

  openPush(headers: WireHeaders): void {
    void this.#push(headers);
  }

  drop(id: RequestId): void {
    this.#streams.get(id)?.abort();
    this.#streams.delete(id);
  }

  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    for (const stream of this.#streams.values()) stream.abort();
    this.#streams.clear();
    if (this.#session !== undefined) await this.#goodbye();
    await (await this.#agent).destroy();
  }

  /** Loaded with the first HTTP server: it is most of what this engine costs at start-up. Time is kept by the peer. */
  async #openAgent(): Promise<Agent> {
    const { Agent } = await import("undici");
    const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: MAX_CONNECTIONS, pipelining: 1 });
    agent.on("connectionError", (_origin, _targets, error) => this.#unconnected.add(error));
    return agent;
  }

  async #exchange(id: RequestId, message: Message, headers: WireHeaders): Promise<void> {
    const stream = new AbortController();
    this.#streams.set(id, stream);
    try {
      const response = await this.#request("POST", headers, stream.signal, message);
      const session = response.headers["mcp-session-id"];
      if (typeof session === "string") this.#session = session;
      await this.#readAnswer(id, response);
    } catch (thrown) {
      // Dropped by us: whoever dropped it no longer waits.
      if (!stream.signal.aborted) this.#events?.lost(id, this.#describe(thrown));
    } finally {
      this.#streams.delete(id);
    }
  }

  /** The status counts before the body does: what is refused is no success, whatever it says. */
  async #readAnswer(id: RequestId, response: Response): Promise<void> {
    const { statusCode: status } = response;
    const type = contentType(response);
    if (type === "text/event-stream" && status === 200) return this.#readOwnStream(id, response);
    if (type !== "application/json" || this.#isRefused(status)) {
      void discard(response);
      throw this.#unexpected(status, `HTTP status ${status} with ${type || "no content type"}`);
    }
    const incoming = parseMessage(await this.#readWhole(response));
    const own = ownAnswer(incoming, id);
    if (own?.type === "error" || (own?.type === "result" && status < 300)) return this.#events?.message(own, id);
    throw this.#unexpected(status, incoming.type === "malformed" ? incoming.why : "a message that is not the answer");
  }

  async #readOwnStream(id: RequestId, response: Response): Promise<void> {
    let linger: NodeJS.Timeout | undefined;
    try {
      await this.#readStream(response, (incoming) => {
        const own = ownAnswer(incoming, id);
        if (own) linger ??= setTimeout(() => response.body.destroy(), LINGER_MS);
        // What answers another request has no business here.
        if (own || !isAnswer(incoming)) this.#events?.message(own ?? incoming, id);
      });
    } catch (thrown) {
      if (!linger) throw thrown;
    } finally {
      clearTimeout(linger);
    }
    if (!linger) throw this.#lost("the stream ended without an answer");
  }

  /** A message that has no answer of its own: it is accepted or it is not. */
  async #tell(message: Message, headers: WireHeaders): Promise<void> {
    const { server, acceptTimeoutMs = ACCEPT_MS } = this.#options;
    if (this.#telling >= MAX_TELLING) throw new HostError("TOO_MANY_CALLS", { server, limit: MAX_TELLING });
    this.#telling += 1;
    const abort = new AbortController();
    const late = this.#lost(`it did not accept a message in ${acceptTimeoutMs} ms`);
    const timer = setTimeout(() => abort.abort(late), acceptTimeoutMs);
    const end = () => abort.abort();
    this.#ended.signal.addEventListener("abort", end, { once: true });
    try {
      const response = await this.#request("POST", headers, abort.signal, message);
      void discard(response);
      const { statusCode: status } = response;
      if (status >= 300) throw this.#unexpected(status, "");
    } catch (thrown) {
      throw this.#describe(thrown);
    } finally {
      this.#telling -= 1;
      clearTimeout(timer);
      this.#ended.signal.removeEventListener("abort", end);
    }
  }

  /**
   * A server need not offer this stream: any refusal just means that it says nothing of its own accord. No request
   * is answered here, so nothing that comes can spoil one.
   */
  async #push(headers: WireHeaders): Promise<void> {
    try {
      const response = await this.#request("GET", headers, this.#ended.signal);
      if (response.statusCode !== 200 || contentType(response) !== "text/event-stream") return await discard(response);
      await this.#readStream(response, (incoming) =>
        this.#events?.message(incoming.type === "malformed" ? NOISE : incoming),
      );
    } catch {
      // Without it the server is only quieter.
    }
  }

  async #request(method: "GET" | "POST" | "DELETE", headers: WireHeaders, signal: AbortSignal, message?: Message) {
    const { origin, pathname, search } = this.#url;
    const body = message && writeMessage(message);
    const agent = await this.#agent;
    const response = await agent.request({
      origin,
      path: pathname + search,
      method,
      signal,
      headers: mergeHeaders(
        urlCredentials(this.#url),
        this.#options.headers,
        headers,
        { accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream" },
        this.#session !== undefined && { "mcp-session-id": this.#session },
        body !== undefined && { "content-type": "application/json" },
      ),
      ...(body !== undefined && { body }),
    });
    // A body that is cut while nobody reads it must not throw.
    response.body.on("error", () => {});
    return response;
  }

  async #readStream(response: Response, on: (incoming: Incoming) => void): Promise<void> {
    const parser = new SseParser(this.#options.maxMessageBytes);
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      const within = parser.push(chunk, ({ event, data }) => {
        if (event === "message" && data !== "") on(parseMessage(data));
      });
      if (!within) throw this.#tooLarge();
    }
  }

  async #readWhole(response: Response): Promise<string> {
    const body = await readBody(response.body, this.#options.maxMessageBytes);
    if (body === undefined) throw this.#tooLarge();
    return body;
  }

  async #goodbye(): Promise<void> {
    try {
      await discard(await this.#request("DELETE", {}, AbortSignal.timeout(GOODBYE_MS)));
    } catch {
      // A courtesy; the server forgets the session by itself.
    }
  }

  #isRefused(status: number): boolean {
    return status === 401 || (status === 404 && this.#session !== undefined);
  }

  #unexpected(status: number, what: string): HostError {
    const { server } = this.#options;
    if (status === 401) return new HostError("AUTH_REQUIRED", { server });
    if (this.#isRefused(status)) return this.#lost("the server has forgotten the session");
    if (status >= 500) return new HostError("SERVER_UNREACHABLE", { server, reason: `HTTP status ${status}` });
    return new HostError("UNEXPECTED_RESPONSE", {
      server,
      what: status >= 300 ? `HTTP status ${status}` : what,
      status,
    });
  }

  #describe(thrown: unknown): HostError {
    if (thrown instanceof HostError) return thrown;
    const { server } = this.#options;
    const connected = !this.#unconnected.has(thrown as object);
    return networkFailure(thrown, { server, connected, secure: this.#url.protocol === "https:" });
  }

  #lost(reason: string): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#options.server, reason });
  }

  #tooLarge(): HostError {
    const { server, maxMessageBytes: limitBytes } = this.#options;
    return new HostError("MESSAGE_TOO_LARGE", { server, limitBytes });
  }
}

/** Takes a little of what nobody wants, so that the connection can be used again. */
async function discard({ body }: Response): Promise<void> {
  const cut = setTimeout(() => body.destroy(), LINGER_MS);
  await body.dump({ limit: UNWANTED_BYTES }).catch(() => {});
  clearTimeout(cut);
}

function contentType(response: Response): string {
  const value = response.headers["content-type"];
  return typeof value === "string" ? value.split(";", 1)[0]!.trim().toLowerCase() : "";
}

function isAnswer(incoming: Incoming): boolean {
  if (incoming.type === "malformed") return incoming.like !== "request";
  return incoming.type === "result" || incoming.type === "error";
}
