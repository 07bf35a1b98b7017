/**
 * MCP over Streamable HTTP: a POST for every message, its answer as JSON or as a
 * stream of events, and (where a server keeps sessions) a GET stream for what it
 * says of its own accord. Each request's answer comes on that request's own
 * stream, so what arrives there names its call.
 */
import { HostError } from "@plugboard/contracts";
import type { Agent, Dispatcher } from "undici";
import { classify } from "../wire/message.ts";
import type { Incoming, Message, RequestId } from "../wire/message.ts";
import type { Transport, TransportEvents, WireHeaders } from "../wire/transport.ts";
import { readBody } from "./read-body.ts";
import { SseParser } from "./sse-parser.ts";

export interface HttpOptions {
  readonly server: string;
  readonly url: string;
  /** From the definition: sent with every request to this server, and nowhere else. */
  readonly headers: WireHeaders;
  readonly maxMessageBytes: number;
}

type Response = Dispatcher.ResponseData;

const GOODBYE_MS = 2000;

export class HttpTransport implements Transport {
  readonly kind = "http";

  readonly #options: HttpOptions;
  readonly #agent: Promise<Agent>;
  readonly #streams = new Map<RequestId, AbortController>();
  readonly #ended = new AbortController();
  #events: TransportEvents | undefined;
  #session: string | undefined;
  /** Why the server can't speak of its own accord any more, if it once could. */
  pushEnded: HostError | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    // Loaded with the first HTTP server: it is most of what this engine costs at start-up. Time is kept by the peer.
    this.#agent = import("undici").then(({ Agent }) => new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
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

  async #readAnswer(id: RequestId, response: Response): Promise<void> {
    const type = contentType(response);
    if (type === "text/event-stream" && response.statusCode === 200) {
      let answered = false;
      await this.#readStream(response, (incoming) => {
        answered ||= isAnswer(incoming, id);
        this.#events?.message(incoming, id);
      });
      if (!answered) throw this.#lost("the stream ended without an answer");
      return;
    }
    const body = await this.#readWhole(response);
    const incoming = type === "application/json" ? parse(body) : undefined;
    if (incoming?.type === "result" || incoming?.type === "error") return this.#events?.message(incoming, id);
    throw this.#unexpected(response.statusCode, type, incoming);
  }

  /** A message that has no answer of its own: it is accepted or it is not. */
  async #tell(message: Message, headers: WireHeaders): Promise<void> {
    let status: number;
    try {
      const response = await this.#request("POST", headers, this.#ended.signal, message);
      status = response.statusCode;
      await this.#readWhole(response);
    } catch (thrown) {
      throw this.#describe(thrown);
    }
    if (status >= 300) throw this.#unexpected(status, "", undefined);
  }

  /** A server need not offer this stream: any refusal just means that it says nothing of its own accord. */
  async #push(headers: WireHeaders): Promise<void> {
    try {
      const response = await this.#request("GET", headers, this.#ended.signal);
      if (response.statusCode !== 200 || contentType(response) !== "text/event-stream") {
        await response.body.dump();
        return;
      }
      await this.#readStream(response, (incoming) => this.#events?.message(incoming));
    } catch (thrown) {
      if (!this.#ended.signal.aborted) this.pushEnded = this.#describe(thrown);
    }
  }

  async #request(method: "GET" | "POST" | "DELETE", headers: WireHeaders, signal: AbortSignal, message?: Message) {
    const { url, headers: own } = this.#options;
    const agent = await this.#agent;
    const { origin, pathname, search } = new URL(url);
    return agent.request({
      origin,
      path: pathname + search,
      method,
      signal,
      headers: {
        ...own,
        ...headers,
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
        ...(message && { "content-type": "application/json" }),
      },
      ...(message && { body: JSON.stringify(message) }),
    });
  }

  async #readStream(response: Response, on: (incoming: Incoming) => void): Promise<void> {
    const parser = new SseParser(this.#options.maxMessageBytes);
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      const within = parser.push(chunk, ({ event, data }) => {
        if (event === "message" && data !== "") on(parse(data));
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
      const response = await this.#request("DELETE", {}, AbortSignal.timeout(GOODBYE_MS));
      await response.body.dump();
    } catch {
      // A courtesy; the server forgets the session by itself.
    }
  }

  #unexpected(status: number, type: string, incoming: Incoming | undefined): HostError {
    const { server } = this.#options;
    if (status === 401) return new HostError("AUTH_REQUIRED", { server });
    if (status === 404 && this.#session !== undefined) return this.#lost("the server has forgotten the session");
    if (status >= 500) return new HostError("SERVER_UNREACHABLE", { server, reason: `HTTP status ${status}` });
    const what =
      status >= 300
        ? `HTTP status ${status}`
        : incoming?.type === "malformed"
          ? incoming.why
          : `HTTP status ${status} with ${type || "no content type"}`;
    return new HostError("UNEXPECTED_RESPONSE", { server, what, status });
  }

  #describe(thrown: unknown): HostError {
    if (thrown instanceof HostError) return thrown;
    const { server } = this.#options;
    const { code, message } = thrown as NodeJS.ErrnoException;
    const reason = code ? `${code}${message ? ` (${message})` : ""}` : message;
    if (code !== undefined && NOT_REACHED.has(code)) {
      return new HostError("SERVER_UNREACHABLE", { server, reason }, { cause: thrown });
    }
    return new HostError("CONNECTION_LOST", { server, reason }, { cause: thrown });
  }

  #lost(reason: string): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#options.server, reason });
  }

  #tooLarge(): HostError {
    const { server, maxMessageBytes: limitBytes } = this.#options;
    return new HostError("MESSAGE_TOO_LARGE", { server, limitBytes });
  }
}

const NOT_REACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function contentType(response: Response): string {
  const value = response.headers["content-type"];
  return typeof value === "string" ? value.split(";", 1)[0]!.trim().toLowerCase() : "";
}

function parse(text: string): Incoming {
  try {
    return classify(JSON.parse(text));
  } catch (error) {
    return { type: "malformed", why: `not JSON (${(error as Error).message})` };
  }
}

function isAnswer(incoming: Incoming, id: RequestId): boolean {
  if (incoming.type === "malformed") return incoming.id === undefined || incoming.id === id;
  return (incoming.type === "result" || incoming.type === "error") && (incoming.message.id ?? id) === id;
}
