/**
 * The way to whoever is asked in a login: straight to the addresses that were
 * judged, or by way of a proxy where the environment names one. Each request has
 * its own, so that nothing is left open by the few that there are.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import { openRoute, proxyHeaders } from "../transport/http-route.ts";
import type { Route } from "../transport/http-route.ts";
import { proxyFor } from "../transport/proxy-for.ts";
import type { ProxyEnvironment } from "../transport/proxy-for.ts";
import type { WireHeaders } from "../wire/transport.ts";
import type { AddressGuard } from "./address-guard.ts";
import { hostKind } from "./address-kind.ts";
import type { OpenConnection } from "./open-connection.ts";

export interface LoginRouteOptions {
  readonly server: string;
  readonly guard: AddressGuard;
  readonly env: ProxyEnvironment;
  readonly connect: OpenConnection;
}

interface LoginRoute extends Route {
  /** What a proxy needs to see. */
  readonly headers: WireHeaders;
}

const PROXIES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks:"]);

export async function openLoginRoute(url: URL, options: LoginRouteOptions, signal: AbortSignal): Promise<LoginRoute> {
  const proxy = findProxy(url, options);
  if (proxy) {
    // What the name stands for is the proxy's to find out.
    await options.guard.check(url);
    return { ...(await openRoute({ url, proxy, background: false })), headers: proxyHeaders(url, proxy) };
  }
  const addresses = await options.guard.addresses(url);
  const { hostname, protocol, port } = url;
  const secure = protocol === "https:";
  const to = {
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
      void options.connect(to, signal).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, null),
      ),
  });
  return { dispatcher, origin: url.origin, prefix: "", headers: {} };
}

function findProxy(url: URL, { server, env }: LoginRouteOptions): URL | undefined {
  const named = hostKind(url.hostname) === "loopback" ? undefined : proxyFor(url, env);
  if (named === undefined) return undefined;
  const proxy = parseUrl(named);
  if (proxy && PROXIES.has(proxy.protocol)) return proxy;
  const what = `the environment names a proxy for ${url.host} that is no URL of http, https or socks5`;
  throw new HostError("LOGIN_FAILED", { server, what });
}
