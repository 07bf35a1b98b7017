/**
 * Sends requests to one HTTP server. Configured headers and credentials go to its own origin only. A request whose
 * credentials are rejected is retried once with new ones. The size of a response is limited after decompression.
 */
import { HostError, abortable, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import type { RequestAborter } from "./request-aborter.ts";
import type { Credentials } from "./credentials.ts";
import { decodeBody, DecodeError } from "./decode-body.ts";
import { HttpCredentials } from "./http-credentials.ts";
import { networkFailure } from "./network-failure.ts";
import { mergeHeaders, basicAuthFromUrl } from "./http-headers.ts";
import { httpStatusError } from "./http-status-error.ts";
import type { AuthRetry } from "./http-status-error.ts";
import { describeRedirectTarget, redirectPath } from "./http-redirect.ts";
import type { Redirect } from "./http-redirect.ts";
import { HttpResponse } from "./http-response.ts";
import { openHttpRoute, proxyHeaders } from "./http-route.ts";
import type { HttpRoute } from "./http-route.ts";
import { parseProxyUrl, proxyFromEnv } from "./proxy-from-env.ts";
import type { ProxyEnvironment } from "./proxy-from-env.ts";
import { BodyTextBuffer } from "./read-body.ts";
import { SseParser } from "./sse-parser.ts";
import type { SseEvent } from "./sse-parser.ts";

export interface HttpClientOptions {
  readonly server: string;
  readonly url: string;
  /** Headers from the server's definition. */
  readonly headers: WireHeaders;
  /** Credential headers override all other headers. */
  readonly credentials?: Credentials | undefined;
  readonly maxMessageBytes: number;
  readonly clock?: Clock;
  /** The variables that name proxies. Defaults to `process.env`. */
  readonly env?: ProxyEnvironment;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** All headers except the credentials, as returned by `HttpClient.headers`. */
  readonly headers: WireHeaders;
  readonly body?: string;
  /** Replaces the path of the server's URL. */
  readonly path?: string;
  /** A background request does not keep the process alive. */
  readonly background?: boolean;
  /** Aborts the request if no response arrives in this time. Waiting for credentials does not count. */
  readonly timeoutMs?: number | undefined;
  /** Called when the request is written to a connection. */
  readonly onSent?: () => void;
}

export class HttpClient {
  readonly server: string;
  readonly url: URL;
  readonly clock: Clock;

  readonly #credentials: HttpCredentials | undefined;
  readonly #path: string;
  readonly #limit: number;
  readonly #baseHeaders: WireHeaders;
  readonly #proxy: URL | undefined;
  readonly #openingRoutes = new Map<"foreground" | "background", Promise<HttpRoute>>();
  /** The foreground route, once it is open. */
  #route: HttpRoute | undefined;

  constructor(options: HttpClientOptions) {
    const { server, headers, maxMessageBytes, clock = systemClock, env = process.env } = options;
    this.server = server;
    this.url = new URL(options.url);
    this.clock = clock;
    this.#credentials = options.credentials && new HttpCredentials(options.credentials, this.url);
    this.#path = this.url.pathname + this.url.search;
    this.#limit = maxMessageBytes;
    this.#proxy = this.#findProxy(env);
    this.#baseHeaders = mergeHeaders(proxyHeaders(this.url, this.#proxy), basicAuthFromUrl(this.url), headers);
  }

  /** Merges header layers. Later layers override earlier ones. */
  headers(...layers: readonly (WireHeaders | false | undefined)[]): WireHeaders {
    return mergeHeaders(this.#baseHeaders, ...layers);
  }

  /**
   * Resolves with the response when its status and headers have arrived. Rejects with a `HostError` if there is no
   * response.
   */
  async open(request: HttpRequest, aborter: RequestAborter): Promise<HttpResponse> {
    const { method, timeoutMs, background = false } = request;
    const credentials = this.#credentials;
    const route = (background ? undefined : this.#route) ?? (await this.#openRoute(background));
    let path = request.path ?? this.#path;
    let triedRetries: Set<AuthRetry> | undefined;
    for (let redirects = 0; ;) {
      let credentialHeaders = credentials?.headers(method, path);
      if (credentialHeaders instanceof Promise) credentialHeaders = await abortable(credentialHeaders, aborter.signal);
      if (aborter.aborted) throw this.connectionLost("the request was aborted");
      const response = this.#dispatch(route, request, path, credentialHeaders);
      aborter.attach(response);
      await this.#receiveHead(response, aborter, timeoutMs);
      const { status } = response;
      if (status < 300) return response;
      // A DELETE only ends the session, which is not worth a login.
      const shouldRetry =
        credentialHeaders && method !== "DELETE"
          ? credentials?.onUnauthorized(response, credentialHeaders, (triedRetries ??= new Set()))
          : undefined;
      if (shouldRetry) {
        if (await abortable(shouldRetry, aborter.signal)) continue;
        return response;
      }
      if (status > 308 || response.headers["location"] === undefined) return response;
      path = this.#followRedirect(response, { method, status, path, count: redirects });
      redirects += 1;
    }
  }

  /** Reads the whole body. */
  async text(response: HttpResponse): Promise<string> {
    const text = new BodyTextBuffer(this.#limit);
    await this.#read(response, (chunk) => {
      if (!text.append(chunk)) throw this.#tooLargeError();
    });
    return text.take();
  }

  /** Reads an event stream. Resolves when the stream ends, rejects if the connection breaks. */
  async events(response: HttpResponse, onEvent: (event: SseEvent) => void): Promise<void> {
    const parser = new SseParser(this.#limit);
    await this.#read(response, (chunk) => {
      if (!parser.push(chunk, onEvent)) throw this.#tooLargeError();
    });
  }

  /** Returns the error for a response that is not a valid answer. */
  statusError(response: HttpResponse, problem?: string): HostError {
    void response.discard();
    return httpStatusError({
      server: this.server,
      response,
      now: this.clock.now(),
      ...(problem !== undefined && { problem }),
    });
  }

  connectionLost(reason: string): HostError {
    return new HostError("CONNECTION_LOST", { server: this.server, reason });
  }

  async close(): Promise<void> {
    const routes = await Promise.all(this.#openingRoutes.values());
    await Promise.all(routes.map(({ dispatcher }) => dispatcher.destroy()));
  }

  #findProxy(env: ProxyEnvironment): URL | undefined {
    const proxy = proxyFromEnv(this.url, env);
    if (proxy === undefined) return undefined;
    const url = parseProxyUrl(proxy);
    if (url) return url;
    const reason = "the environment names a proxy for it that is not an http, https or socks5 URL";
    throw new HostError("SERVER_UNREACHABLE", { server: this.server, reason });
  }

  async #openRoute(background: boolean): Promise<HttpRoute> {
    const kind = background ? "background" : "foreground";
    const existing = this.#openingRoutes.get(kind);
    const opening = existing ?? openHttpRoute({ url: this.url, proxy: this.#proxy, background });
    if (!existing) this.#openingRoutes.set(kind, opening);
    const route = await opening;
    if (!background) this.#route = route;
    return route;
  }

  #dispatch(
    route: HttpRoute,
    request: HttpRequest,
    path: string,
    credentialHeaders: WireHeaders | undefined,
  ): HttpResponse {
    const { dispatcher, origin, prefix } = route;
    const { method, body = null } = request;
    const headers = credentialHeaders
      ? this.#credentials!.mergeInto(request.headers, credentialHeaders)
      : request.headers;
    const options = { origin, path: prefix + path, method, headers, body };
    const response = new HttpResponse(request.onSent);
    // A reused connection would keep the process alive.
    dispatcher.dispatch(request.background ? { ...options, reset: true } : options, response);
    return response;
  }

  async #receiveHead(response: HttpResponse, aborter: RequestAborter, timeoutMs: number | undefined): Promise<void> {
    const stopTimer = timeoutMs === undefined ? undefined : this.clock.after(timeoutMs, () => aborter.abort());
    try {
      await response.head;
    } catch (thrown) {
      throw this.#toHostError(thrown, response);
    } finally {
      stopTimer?.();
    }
  }

  /** Returns the path to request next. Throws if the redirect must not be followed. */
  #followRedirect(
    response: HttpResponse,
    { path, ...redirected }: Pick<Redirect, "method" | "status" | "count"> & { readonly path: string },
  ): string {
    const redirect = {
      ...redirected,
      location: response.header("location") ?? "",
      from: new URL(this.url.origin + path),
    };
    const nextPath = redirectPath(redirect);
    if (nextPath === undefined) {
      const target = describeRedirectTarget(redirect);
      throw this.statusError(response, `it redirects to ${target}; if that is right, configure that URL`);
    }
    void response.discard();
    return nextPath;
  }

  async #read(response: HttpResponse, onChunk: (chunk: Buffer) => void): Promise<void> {
    try {
      await decodeBody(response, onChunk);
    } catch (thrown) {
      if (thrown instanceof DecodeError) throw this.statusError(response, thrown.message);
      throw this.#toHostError(thrown, { sent: true });
    }
  }

  #toHostError(thrown: unknown, { sent }: { readonly sent: boolean }): HostError {
    if (thrown instanceof HostError) return thrown;
    return networkFailure(thrown, { server: this.server, sent, secure: this.url.protocol === "https:" });
  }

  #tooLargeError(): HostError {
    return new HostError("MESSAGE_TOO_LARGE", { server: this.server, limitBytes: this.#limit });
  }
}
