/**
 * Opens the connection for one guarded request: directly to the checked addresses, or through a proxy from the
 * environment. Each request has a connection of its own, so that none stays open.
 */
import { openHttpRoute, proxyHeaders } from "../../transport/http/http-route.ts";
import type { HttpRoute } from "../../transport/http/http-route.ts";
import { parseProxyUrl, proxyFromEnv } from "../../transport/http/proxy-from-env.ts";
import type { ProxyEnvironment } from "../../transport/http/proxy-from-env.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import type { AddressGuard } from "./address-guard.ts";
import { hostnameKind } from "./address-kind.ts";
import type { OpenConnection } from "./open-connection.ts";
import type { RequestErrors } from "./request-errors.ts";

export interface GuardedRouteOptions {
  readonly errors: RequestErrors;
  readonly guard: AddressGuard;
  readonly env: ProxyEnvironment;
  readonly connect: OpenConnection;
}

interface GuardedRoute extends HttpRoute {
  /** Headers that the proxy needs. */
  readonly headers: WireHeaders;
}

export async function openGuardedRoute(
  url: URL,
  options: GuardedRouteOptions,
  signal: AbortSignal,
): Promise<GuardedRoute> {
  const proxy = findProxy(url, options);
  if (proxy) {
    // The proxy resolves the name, so only the URL can be checked.
    await options.guard.checkUrl(url);
    return { ...(await openHttpRoute({ url, proxy, background: false })), headers: proxyHeaders(url, proxy) };
  }
  const addresses = await options.guard.resolveAllowed(url);
  const { hostname, protocol, port } = url;
  const secure = protocol === "https:";
  const destination = {
    addresses,
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (secure ? 443 : 80)),
    secure,
  };
  const { Agent } = await import("undici");
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_, connected) =>
      void options.connect(destination, signal).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, null),
      ),
  });
  return { dispatcher, origin: url.origin, prefix: "", headers: {} };
}

function findProxy(url: URL, { errors, env }: GuardedRouteOptions): URL | undefined {
  const proxyText = hostnameKind(url.hostname) === "loopback" ? undefined : proxyFromEnv(url, env);
  if (proxyText === undefined) return undefined;
  const proxy = parseProxyUrl(proxyText);
  if (proxy) return proxy;
  const reason = `the environment names a proxy for ${url.host} that is not an http, https or socks5 URL`;
  throw errors.failed(reason);
}
