/** Who may come in at all. Checked for every request, before anything is looked at. Pure. */
import { HostError } from "@plugboard/contracts";

export interface OriginHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/**
 * A page of another site may send requests to loopback, and may even have its own name point there; so the names
 * that the browser says it calls, and calls from, must be ours.
 */
export function checkTcpOrigin({ host, origin }: OriginHeaders, port: number): HostError | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase()))
    return forbidden("the Host header names somebody else");
  if (origin === undefined) return undefined;
  return names.some((name) => origin.toLowerCase() === `http://${name}`)
    ? undefined
    : forbidden("a page of another origin");
}

/** The socket is reached through the file system; no browser has business there. */
export function checkSocketOrigin({ origin }: OriginHeaders): HostError | undefined {
  return origin === undefined ? undefined : forbidden("a page has no business here");
}

function forbidden(reason: string): HostError {
  return new HostError("FORBIDDEN", { reason });
}
