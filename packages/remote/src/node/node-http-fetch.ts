/**
 * Sends HTTP requests over the socket of the running host, or over TCP with a token. Does not use `node:http`, which
 * takes 8 ms to load and to send the first request. With `node:http`, the bench row `cli-warm-call` takes 19 % longer.
 */
import type { FetchLike } from "../http/fetch-like.ts";
import { HostConnection, serializeRequest } from "./host-connection.ts";

export type HostAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly token: string };

/**
 * How long an idle connection is kept for the next request. The host keeps it for longer, because a request would get
 * lost if the host closed the connection at the same time.
 */
const MAX_IDLE_MS = 1000;

export function nodeHttpFetch(hostAddress: HostAddress): FetchLike {
  // The token is undefined for a socket.
  const { token, ...address } = { token: undefined, ...hostAddress };
  const fixedHeaders = {
    host: "host" in address ? `${address.host}:${address.port}` : "localhost",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  let idle: { readonly connection: HostConnection; readonly timer: NodeJS.Timeout } | undefined;

  const takeIdle = () => {
    const taken = idle;
    idle = undefined;
    clearTimeout(taken?.timer);
    return taken?.connection.usable ? taken.connection : undefined;
  };

  const keep = (connection: HostConnection) => {
    takeIdle()?.close();
    connection.unref();
    idle = { connection, timer: setTimeout(() => takeIdle()?.close(), MAX_IDLE_MS).unref() };
  };

  return async (path, { method, headers = {}, body, signal }) => {
    const request = serializeRequest({ method, path, headers: { ...fixedHeaders, ...headers }, body });
    const connection = takeIdle() ?? new HostConnection(address);
    connection.onIdle = () => keep(connection);
    return connection.send(request, signal);
  };
}
