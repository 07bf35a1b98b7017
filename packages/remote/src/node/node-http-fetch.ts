/** Sends HTTP requests over the socket of the running host, or over TCP with a token. */
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { FetchLike } from "../fetch-like.ts";

export type HostAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly token: string };

export function nodeHttpFetch(hostAddress: HostAddress): FetchLike {
  // The token is undefined for a socket.
  const { token, ...address } = { token: undefined, ...hostAddress };
  return (path, { method, headers = {}, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          ...address,
          path,
          method,
          signal,
          // Opens a connection for each request. An agent would take longer to do the same.
          createConnection: () => ("socketPath" in address ? connect(address.socketPath) : connect(address)),
          headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        },
        (response) => resolve({ status: response.statusCode ?? 0, body: response as AsyncIterable<Uint8Array> }),
      );
      request.on("error", reject);
      request.end(body);
    });
}
