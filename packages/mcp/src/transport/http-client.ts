/**
 * Requests to one HTTP server and nowhere else: the headers of its definition
 * and the credentials go to its own origin only. A request whose credentials are
 * refused has not run, and is sent once more if there are others. What comes
 * back is bounded by what it decodes to.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { systemClock } from "../clock.ts";
import { quote } from "../wire/quote.ts";
import type { WireHeaders } from "../wire/transport.ts";
import { unlessBroken } from "./breaker.ts";
import type { Breaker } from "./breaker.ts";
import type { Credentials } from "./credentials.ts";
import { decodeBody, Undecodable } from "./decode-body.ts";
import { HttpCredentials } from "./http-credentials.ts";
import { networkFailure } from "./http-failure.ts";
import { mergeHeaders, urlCredentials } from "./http-headers.ts";
import { refusal } from "./http-refusal.ts";
import type { Retry } from "./http-refusal.ts";
import { HttpResponse } from "./http-response.ts";
import { openRoute, proxyHeaders } from "./http-route.ts";
import type { Route } from "./http-route.ts";
import { proxyFor } from "./proxy-for.ts";
import type { ProxyEnvironment } from "./proxy-for.ts";
import { BodyText } from "./read-body.ts";
import { SseParser } from "./sse-parser.ts";
import type { SseEvent } from "./sse-parser.ts";

export interface HttpClientOptions {
  readonly server: string;
  readonly url: string;
  /** From the definition: sent with every request to this server, and nowhere else. */
  readonly headers: WireHeaders;
  /** Laid over everything else. */
  readonly credentials?: Credentials | undefined;
  readonly maxMessageBytes: number;
  readonly clock?: Clock;
  /** Where proxies are named; ours, unless told otherwise. */
  readonly env?: ProxyEnvironment;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** All of them but the credentials, as `HttpClient.headers` makes them. */
  readonly headers: WireHeaders;
  readonly body?: string;
  /** Other than that of the URL. */
  readonly path?: string;
  /** Does not keep the process alive. */
  readonly background?: boolean;
  /** After how long without an answer the breaker breaks; waiting for credentials does not count. */
  readonly withinMs?: number | undefined;
  /** There is a connection and the request goes out on it. */
  readonly onSent?: () => void;
}

const PROXIES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks:"]);
const MAX_REDIRECTS = 5;
const FOLLOWED: { readonly [method in HttpRequest["method"]]: ReadonlySet<number> } = {
  // Anything else may turn it into another request.
  POST: new Set([307, 308]),
  DELETE: new Set([307, 308]),
  GET: new Set([301, 302, 303, 307, 308]),
};

export class HttpClient {
  readonly server: string;
  readonly url: URL;
  readonly clock: Clock;

  readonly #credentials: HttpCredentials | undefined;
  readonly #path: string;
  readonly #limit: number;
  readonly #base: WireHeaders;
  readonly #proxy: URL | undefined;
  readonly #opening = new Map<boolean, Promise<Route>>();
  /** The one that is used for nearly everything, once it is there. */
  #route: Route | undefined;

  constructor(options: HttpClientOptions) {
    const { server, headers, maxMessageBytes, clock = systemClock, env = process.env } = options;
    this.server = server;
    this.url = new URL(options.url);
    this.clock = clock;
    this.#credentials = options.credentials && new HttpCredentials(options.credentials, this.url);
    this.#path = this.url.pathname + this.url.search;
    this.#limit = maxMessageBytes;
    this.#proxy = this.#findProxy(env);
    this.#base = mergeHeaders(proxyHeaders(this.url, this.#proxy), urlCredentials(this.url), headers);
  }

  /** The later count. */
  headers(...layers: readonly (WireHeaders | false | undefined)[]): WireHeaders {
    return mergeHeaders(this.#base, ...layers);
  }

  /** Resolves with the response when its head is there; rejects with a `HostError` if there is none, unless it was broken off. */
  async open(request: HttpRequest, breaker: Breaker): Promise<HttpResponse> {
    const { method, withinMs, background = false } = request;
    const credentials = this.#credentials;
    const route = (background ? undefined : this.#route) ?? (await this.#openRoute(background));
    let path = request.path ?? this.#path;
    let tried: Set<Retry> | undefined;
    for (let redirects = 0; ;) {
      let sent = credentials?.headers(method, path);
      if (sent instanceof Promise) sent = await unlessBroken(sent, breaker);
      if (breaker.broken) throw this.lost("it was given up");
      const response = this.#dispatch(route, request, path, sent);
      breaker.hold(response);
      const stopTimer = withinMs === undefined ? undefined : this.clock.after(withinMs, () => breaker.break());
      try {
        await response.head;
      } catch (thrown) {
        throw this.#failure(thrown, response.sent);
      } finally {
        stopTimer?.();
      }
      const { status } = response;
      if (status < 300) return response;
      // A goodbye is not worth a login.
      const asked =
        sent && method !== "DELETE" ? credentials?.refused(response, sent, (tried ??= new Set())) : undefined;
      if (asked) {
        if (await unlessBroken(asked, breaker)) continue;
        return response;
      }
      if (status > 308 || response.headers["location"] === undefined) return response;
      path = this.#redirected(response, path, FOLLOWED[method].has(status) && redirects < MAX_REDIRECTS);
      redirects += 1;
    }
  }

  /** The whole body. */
  async text(response: HttpResponse): Promise<string> {
    const text = new BodyText(this.#limit);
    await this.#read(response, (chunk) => {
      if (!text.append(chunk)) throw this.#tooLarge();
    });
    return text.take();
  }

  /** Resolves when the stream ends, and rejects if it breaks. */
  async events(response: HttpResponse, on: (event: SseEvent) => void): Promise<void> {
    const parser = new SseParser(this.#limit);
    await this.#read(response, (chunk) => {
      if (!parser.push(chunk, on)) throw this.#tooLarge();
    });
  }

  /** What a response that is no answer means. */
  refused(response: HttpResponse, what?: string): HostError {
    void response.discard();
    return refusal({ server: this.server, response, now: this.clock.now(), ...(what !== undefined && { what }) });
  }

  lost(reason: string): HostError {
    return new HostError("CONNECTION_LOST", { server: this.server, reason });
  }

  async close(): Promise<void> {
    const routes = await Promise.all(this.#opening.values());
    await Promise.all(routes.map(({ dispatcher }) => dispatcher.destroy()));
  }

  #findProxy(env: ProxyEnvironment): URL | undefined {
    const proxy = proxyFor(this.url, env);
    if (proxy === undefined) return undefined;
    const url = parseUrl(proxy);
    if (url && PROXIES.has(url.protocol)) return url;
    const reason = "the environment names a proxy for it that is no URL of http, https or socks5";
    throw new HostError("SERVER_UNREACHABLE", { server: this.server, reason });
  }

  async #openRoute(background: boolean): Promise<Route> {
    const known = this.#opening.get(background);
    const opening = known ?? openRoute({ url: this.url, proxy: this.#proxy, background });
    if (!known) this.#opening.set(background, opening);
    const route = await opening;
    if (!background) this.#route = route;
    return route;
  }

  #dispatch(route: Route, request: HttpRequest, path: string, sent: WireHeaders | undefined): HttpResponse {
    const { dispatcher, origin, prefix } = route;
    const { method, body = null } = request;
    const headers = sent ? this.#credentials!.lay(request.headers, sent) : request.headers;
    const options = { origin, path: prefix + path, method, headers, body };
    const response = new HttpResponse(request.onSent);
    // A connection that is used again keeps the process alive.
    dispatcher.dispatch(request.background ? { ...options, reset: true } : options, response);
    return response;
  }

  /** The path it goes on at; the same origin, or not at all. */
  #redirected(response: HttpResponse, path: string, follow: boolean): string {
    const location = response.header("location") ?? "";
    const here = new URL(this.url.origin + path);
    const there = parseUrl(location, here);
    const target = there ? there.origin + there.pathname : location;
    if (!follow || there?.origin !== this.url.origin) {
      throw this.refused(response, `it redirects to ${quote(target)}; if that is right, configure that URL`);
    }
    void response.discard();
    return there.pathname + there.search;
  }

  async #read(response: HttpResponse, take: (chunk: Buffer) => void): Promise<void> {
    try {
      await decodeBody(response, take);
    } catch (thrown) {
      if (thrown instanceof Undecodable) throw this.refused(response, thrown.message);
      throw this.#failure(thrown, true);
    }
  }

  #failure(thrown: unknown, sent: boolean): HostError {
    if (thrown instanceof HostError) return thrown;
    return networkFailure(thrown, { server: this.server, sent, secure: this.url.protocol === "https:" });
  }

  #tooLarge(): HostError {
    return new HostError("MESSAGE_TOO_LARGE", { server: this.server, limitBytes: this.#limit });
  }
}
