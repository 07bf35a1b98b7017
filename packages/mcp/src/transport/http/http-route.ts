/**
 * The connections to one HTTP server: straight to it, or by way of a proxy.
 * undici is loaded with the first of them: it is most of what this engine costs
 * at start-up. Time is kept by whoever makes requests.
 */
import type { buildConnector, Dispatcher } from "undici";
import type { WireHeaders } from "../../wire/transport.ts";
import { basicAuthFromUrl } from "./http-headers.ts";

export interface HttpRoute {
  readonly dispatcher: Dispatcher;
  /** Where to connect to. */
  readonly origin: string;
  /** Before the path. */
  readonly prefix: string;
}

interface HttpRouteOptions {
  readonly url: URL;
  readonly proxy: URL | undefined;
  /** Does not keep the process alive. */
  readonly background: boolean;
}

/** A connection for every request that a peer may have in flight, and some on which their questions can be answered. */
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

/** What a proxy needs to see in each request; where there is a tunnel through it, the tunnel sees to that. */
export function proxyHeaders(url: URL, proxy: URL | undefined): WireHeaders {
  if (!proxy) return {};
  const { authorization } = basicAuthFromUrl(proxy);
  const forwarded = authorization !== undefined && isForwarded(url, proxy);
  return { host: url.host, ...(forwarded && { "proxy-authorization": authorization }) };
}

/** A plain request is handed to the proxy to pass on; what is secure goes through a tunnel. */
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
