/**
 * Opens the connections to one HTTP server, directly or through a proxy. Loads undici on first use, because it takes
 * most of the start-up time. Timeouts are the caller's task.
 */
import type { buildConnector, Dispatcher } from "undici";
import type { WireHeaders } from "../../wire/transport.ts";
import { basicAuthFromUrl } from "./http-headers.ts";

export interface HttpRoute {
  readonly dispatcher: Dispatcher;
  /** The origin to connect to. */
  readonly origin: string;
  /** Prepended to the path. */
  readonly prefix: string;
}

interface HttpRouteOptions {
  readonly url: URL;
  readonly proxy: URL | undefined;
  /** Does not keep the process alive. */
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

/** Returns the headers that a forwarding proxy needs. A tunnel needs none. */
export function proxyHeaders(url: URL, proxy: URL | undefined): WireHeaders {
  if (!proxy) return {};
  const { authorization } = basicAuthFromUrl(proxy);
  const forwarded = authorization !== undefined && isForwarded(url, proxy);
  return { host: url.host, ...(forwarded && { "proxy-authorization": authorization }) };
}

/** A proxy forwards http requests. https requests use a tunnel through it. */
function isForwarded(url: URL, proxy: URL): boolean {
  return url.protocol === "http:" && proxy.protocol.startsWith("http");
}

function unrefSockets(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      result[1]?.unref();
      callback(...result);
    });
}
