/** Where the port listens, and under which name clients beyond this machine reach it. */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { GatewayAuth } from "@plugboard/config";

export interface RequestedAddress {
  /** The address to listen on. By default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The URL under which clients reach the port, usually that of a reverse proxy. */
  readonly publicUrl?: string | undefined;
}

export interface ServingAddress {
  readonly host: string;
  /** The origin for clients beyond this machine. Absent if there are none. */
  readonly publicOrigin?: string;
}

const LOOPBACK_ADDRESS = "127.0.0.1";

/** Throws USAGE if clients beyond this machine could connect, and the config does not say which tokens they need. */
export function resolveServingAddress(
  { host = LOOPBACK_ADDRESS, publicUrl }: RequestedAddress,
  auth: GatewayAuth | undefined,
): ServingAddress {
  if (isLoopback(host) && publicUrl === undefined) return { host };
  if (!auth) {
    throw usageError(
      "serving beyond this machine needs `mcp.gateway.auth` in your own config, which says whose tokens are accepted",
    );
  }
  return { host, publicOrigin: publicOriginOf(publicUrl ?? auth.audience.find((one) => parseUrl(one))) };
}

/** Returns true for an address or a name of this machine's loopback interface. */
export function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, "");
  return plain === "localhost" || plain === "::1" || plain === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** Returns the name by which programs of this machine reach the port. */
export function endpointHost(listenHost: string): string {
  if (["0.0.0.0", "::"].includes(listenHost) || isLoopback(listenHost)) return LOOPBACK_ADDRESS;
  return listenHost.includes(":") ? `[${listenHost}]` : listenHost;
}

function publicOriginOf(url: string | undefined): string {
  if (url === undefined) throw usageError("--public-url is needed, because no audience in `mcp.gateway.auth` is a URL");
  const parsed = parseUrl(url);
  if (parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed.hostname))) {
    return parsed.origin;
  }
  throw usageError(`the public URL must begin with https://, not ${JSON.stringify(url)}`);
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message, omitHelp: true });
}
