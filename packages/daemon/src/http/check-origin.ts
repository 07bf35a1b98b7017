/** Rejects requests from web pages of other origins. The daemon checks every request before it reads the body. */
import type { IncomingMessage } from "node:http";
import { HostError } from "@plugboard/contracts";
import { isLoopback } from "./serving-address.ts";

export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** True if a proxy has passed the request on. */
  readonly forwarded?: boolean;
}

/** Reads the headers that `checkTcpOrigin` needs. */
export function originHeaders({ headers, rawHeaders }: IncomingMessage): OriginHeaders {
  return { host: headers.host, origin: headers.origin, forwarded: isForwarded(rawHeaders) };
}

/** The headers by which proxies say that they have passed a request on. */
const FORWARDING = /^(?:x-)?forwarded(?:$|-)|^via$|^x-real-ip$/i;

/** `rawHeaders` contains names and values in turn. */
function isForwarded(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((text, index) => index % 2 === 0 && FORWARDING.test(text));
}

export interface SocketAddresses {
  readonly localPort: number;
  readonly remoteAddress: string | undefined;
  /** The origin for clients beyond this machine, such as that of a reverse proxy. */
  readonly publicOrigin: string | undefined;
  /** The origin of another document of this host that may send this request. */
  readonly ownOrigin?: string | undefined;
}

/**
 * Returns whether the request uses the local or the public name of this server. Returns an error if the Host header, or
 * an Origin header, names another server. Without this check, a web page of another site could send requests to the
 * port, also through its own DNS name (DNS rebinding).
 */
export function checkTcpOrigin(
  { host, origin, forwarded = false }: OriginHeaders,
  { localPort, remoteAddress, publicOrigin, ownOrigin }: SocketAddresses,
): "local" | "public" | HostError {
  const name = host?.toLowerCase();
  // A client on another machine can send any Host, also a local name.
  const isLocal = name !== undefined && isLocalName(name, localPort) && isLoopback(remoteAddress ?? "");
  // A proxy on this machine can send any Host, so a forwarded request counts as public.
  const isPublic = publicOrigin !== undefined && (name === new URL(publicOrigin).host || (isLocal && forwarded));
  if (!isPublic && !isLocal) return forbidden("the Host header names another host");
  if (!isPublic && forwarded) {
    return forbidden(
      "the request comes through a proxy; serve with --public-url to accept requests from other machines",
    );
  }
  if (
    origin !== undefined &&
    origin !== ownOrigin &&
    !isOwnOrigin(origin.toLowerCase(), isPublic ? publicOrigin : localPort)
  ) {
    return forbidden("the request comes from a web page of another origin");
  }
  return isPublic ? "public" : "local";
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

function isLocalName(name: string, port: number): boolean {
  const suffix = `:${port}`;
  return name.endsWith(suffix) && LOCAL_HOSTS.has(name.slice(0, -suffix.length));
}

function isOwnOrigin(origin: string, publicOriginOrPort: string | number): boolean {
  if (typeof publicOriginOrPort === "string") return origin === publicOriginOrPort;
  return origin.startsWith("http://") && isLocalName(origin.slice("http://".length), publicOriginOrPort);
}

/** Returns an error for a request from any web page. Only local programs use the socket. */
export function checkSocketOrigin({ headers: { origin } }: IncomingMessage): HostError | undefined {
  return origin === undefined ? undefined : forbidden("the socket does not accept requests from web pages");
}

function forbidden(reason: string): HostError {
  return new HostError("FORBIDDEN", { reason });
}
