/**
 * A guarded fetch whose names stand for what the test says, and which really
 * reaches one scripted server on this machine alone, whomever it wants. What it
 * would have connected to is written down. Beyond the connection nothing is
 * secure, so that names of the outer world can be used with https.
 */
import { connect } from "node:net";
import { once } from "node:events";
import { createGuardedFetch } from "@plugboard/mcp/oauth";
import type { GuardedFetchOptions, OAuthFetchInit } from "@plugboard/mcp/oauth";
import { startTestHttp } from "./open-http.ts";

interface GuardedFetchScript {
  /** The MCP server's own. */
  readonly url?: string;
  readonly names?: { readonly [hostname: string]: string | readonly string[] };
  /** In place of a server with nothing to say. */
  readonly handler?: Parameters<typeof startTestHttp>[0];
  readonly options?: Partial<GuardedFetchOptions>;
}

export const PUBLIC_ADDRESS = "93.184.215.14";
export const READ_REQUEST: OAuthFetchInit = {
  method: "GET",
  headers: { accept: "application/json" },
  redirect: "manual",
};

export async function scriptedGuardedFetch({
  url = "https://mcp.example/mcp",
  names = {},
  handler,
  options,
}: GuardedFetchScript = {}) {
  const server = await startTestHttp(handler ?? ((_, response) => void response.end("{}")));
  const { port: real } = new URL(server.url);
  /** The addresses that a connection would have gone to, with the port. */
  const connects: string[] = [];
  const lookups: string[] = [];
  const fetch = createGuardedFetch({
    server: "tested",
    url,
    env: {},
    async resolve(hostname) {
      lookups.push(hostname);
      const found = [names[hostname] ?? PUBLIC_ADDRESS].flat();
      return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    async connect({ addresses, port }) {
      connects.push(`${addresses.map(({ address }) => address).join(" ")} ${port}`);
      const socket = connect(Number(real), "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    ...options,
  });
  const read = (from: string, init: Partial<OAuthFetchInit> = {}) => fetch(from, { ...READ_REQUEST, ...init });
  return { server, read, connects, lookups };
}
