/**
 * Sends HTTP requests over the socket of the running host, or over TCP with a token. Does without `node:http`, which takes
 * 8 ms to load and to send the first request, so that a call from the command line would take a seventh longer.
 */
import type { FetchLike } from "../fetch-like.ts";
import { HostConnection } from "./host-connection.ts";

export type HostAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly token: string };

/** The host closes a connection that is idle for longer than this. A request on it could then get lost. */
const MAX_IDLE_MS = 1000;

export function nodeHttpFetch(hostAddress: HostAddress): FetchLike {
  // The token is undefined for a socket.
  const { token, ...address } = { token: undefined, ...hostAddress };
  const fixedHeaders = {
    host: "host" in address ? `${address.host}:${address.port}` : "localhost",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  let idle: { readonly connection: HostConnection; readonly since: number } | undefined;

  const takeIdle = () => {
    const candidate = idle;
    idle = undefined;
    const isUsable = candidate?.connection.usable && Date.now() - candidate.since < MAX_IDLE_MS;
    return isUsable ? candidate.connection : undefined;
  };

  return (path, { method, headers = {}, body, signal }) => {
    const connection = takeIdle() ?? new HostConnection(address);
    connection.onIdle = () => {
      connection.unref();
      idle = { connection, since: Date.now() };
    };
    return connection.send({ method, path, headers: { ...fixedHeaders, ...headers }, body, signal });
  };
}
