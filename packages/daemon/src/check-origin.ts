/** Rejects requests from web pages of other origins. Every request is checked before it is read. */
import { HostError } from "@plugboard/contracts";

export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * A web page of another site can send requests to loopback, also through a DNS name that resolves to it (DNS
 * rebinding). So the Host header, and the Origin header if there is one, must name this server.
 */
export function checkTcpOrigin({ host, origin }: OriginHeaders, port: number): HostError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase())) return forbidden("the Host header names another host");
  if (origin === undefined) return undefined;
  return names.some((name) => origin.toLowerCase() === `http://${name}`)
    ? undefined
    : forbidden("the request comes from a web page of another origin");
}

/** Rejects requests from web pages. Only local programs use the socket. */
export function checkSocketOrigin({ origin }: OriginHeaders): HostError | undefined {
  return origin === undefined ? undefined : forbidden("the socket does not accept requests from web pages");
}

function forbidden(reason: string): HostError {
  return new HostError("FORBIDDEN", { reason });
}
