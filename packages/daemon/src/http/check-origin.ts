/** Rejects requests from web pages of other origins. The daemon checks every request before it reads the body. */
import { HostError } from "@plugboard/contracts";

export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Returns an error unless the Host header, and the Origin header if there is one, name this server. Otherwise a web
 * page of another site could send requests to the port, also through its own DNS name (DNS rebinding).
 */
export function checkTcpOrigin({ host, origin }: OriginHeaders, port: number): HostError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase())) return forbidden("the Host header names another host");
  if (origin === undefined) return undefined;
  return names.some((name) => origin.toLowerCase() === `http://${name}`)
    ? undefined
    : forbidden("the request comes from a web page of another origin");
}

/** Returns an error for a request from any web page. Only local programs use the socket. */
export function checkSocketOrigin({ origin }: OriginHeaders): HostError | undefined {
  return origin === undefined ? undefined : forbidden("the socket does not accept requests from web pages");
}

function forbidden(reason: string): HostError {
  return new HostError("FORBIDDEN", { reason });
}
