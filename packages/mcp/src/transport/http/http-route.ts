/**
 * Opens the connections to one HTTP server, directly or through a proxy. Loads undici on first use, because it takes
 * most of the start-up time. Sets no timeouts, because the caller does.
 */
import type { buildConnector, Dispatcher } from "undici";
import type { WireHeaders } from "../../wire/transport.ts";
import { basicAuthFromUrl } from "./http-headers.ts";

export interface HttpRoute {
  readonly dispatcher: Dispatcher;
  /** The origin to connect to. */
  readonly origin: string;
  /** The part of the request target before the path. A forwarding proxy needs the server's origin there. */
  readonly prefix: string;
}

interface HttpRouteOptions {
  readonly url: URL;
  readonly proxy: URL | undefined;
  /** Background connections do not keep the process alive. */
  readonly background: boolean;
}

/** One connection for each request in flight, and some for responses to the server's own requests. */
const MAX_CONNECTIONS = 1024 + 64;
const LIMITS = { headersTimeout: 0, bodyTimeout: 0, connections: MAX_CONNECTIONS, pipelining: 1 };

export async function openHttpRoute({ url, proxy, background }: HttpRouteOptions): Promise<HttpRoute> {
  const { Agent, Pool, ProxyAgent, buildConnector } = await import("undici");
  const backgroundOptions = {
    ...LIMITS,
    factory: (origin: string | URL, options: { connect?: buildConnector.connector }) =>
      new Pool(origin, { ...options, connect: unrefSockets(options.connect ?? buildConnector({})) }),
  };
  const options = background ? backgroundOptions : LIMITS;
  if (proxy && !isForwarded(url, proxy)) {
    return { dispatcher: new ProxyAgent({ ...options, uri: proxy.href }), origin: url.origin, prefix: "" };
  }
  const dispatcher = new Agent(options);
  return proxy
    ? { dispatcher, origin: proxy.origin, prefix: url.origin }
    : { dispatcher, origin: url.origin, prefix: "" };
}

/** Returns the headers for a request through a proxy. For a tunnel, `ProxyAgent` sends the proxy's credentials. */
export function proxyHeaders(url: URL, proxy: URL | undefined): WireHeaders {
  if (!proxy) return {};
  const { authorization } = basicAuthFromUrl(proxy);
  const needsAuthorization = authorization !== undefined && isForwarded(url, proxy);
  return { host: url.host, ...(needsAuthorization && { "proxy-authorization": authorization }) };
}

/** An HTTP proxy forwards http requests. https requests, and all requests through a SOCKS proxy, use a tunnel. */
function isForwarded(url: URL, proxy: URL): boolean {
  return url.protocol === "http:" && proxy.protocol.startsWith("http");
}

function unrefSockets(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [, socket] = result;
      socket?.unref();
      callback(...result);
    });
}
