/** Rejects requests from web pages of other origins. The daemon checks every request before it reads the body. */
import { HostError } from "@plugboard/contracts";
import { isLoopback } from "./serving-address.ts";

export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

export interface Connection {
  readonly localPort: number;
  readonly remoteAddress: string | undefined;
  /** The origin for clients beyond this machine, such as that of a reverse proxy. */
  readonly publicOrigin: string | undefined;
}

/**
 * Returns which name of this server the request uses, or an error unless the Host header, and the Origin header if
 * there is one, name this server. Otherwise a web page of another site could send requests to the port, also through
 * its own DNS name (DNS rebinding).
 */
export function checkTcpOrigin(
  { host, origin }: OriginHeaders,
  { localPort, remoteAddress, publicOrigin }: Connection,
): "local" | "public" | HostError {
  const localNames = [`127.0.0.1:${localPort}`, `localhost:${localPort}`, `[::1]:${localPort}`];
  const name = host?.toLowerCase();
  const isPublic = publicOrigin !== undefined && name === new URL(publicOrigin).host;
  // A client of another machine could claim any name.
  const isLocal = name !== undefined && localNames.includes(name) && isLoopback(remoteAddress ?? "");
  if (!isPublic && !isLocal) return forbidden("the Host header names another host");
  const origins = isPublic ? [publicOrigin] : localNames.map((localName) => `http://${localName}`);
  if (origin !== undefined && !origins.includes(origin.toLowerCase())) {
    return forbidden("the request comes from a web page of another origin");
  }
  return isPublic ? "public" : "local";
}

/** Returns an error for a request from any web page. Only local programs use the socket. */
export function checkSocketOrigin({ origin }: OriginHeaders): HostError | undefined {
  return origin === undefined ? undefined : forbidden("the socket does not accept requests from web pages");
}

function forbidden(reason: string): HostError {
  return new HostError("FORBIDDEN", { reason });
}
