/**
 * A guarded fetch whose names stand for what the test says, and which really
 * reaches one scripted server on this machine alone, whomever it wants. What it
 * would have connected to is written down. Beyond the connection nothing is
 * secure, so that names of the outer world can be used with https.
 */
import { connect } from "node:net";
import { once } from "node:events";
import { makeGuardedFetch } from "@plugboard/mcp/oauth";
import type { GuardedFetchOptions, OAuthFetchInit } from "@plugboard/mcp/oauth";
import { serve } from "./open-http.ts";

interface World {
  /** The MCP server's own. */
  readonly url?: string;
  readonly names?: { readonly [hostname: string]: string | readonly string[] };
  /** In place of a server with nothing to say. */
  readonly handler?: Parameters<typeof serve>[0];
  readonly options?: Partial<GuardedFetchOptions>;
}

export const PUBLIC = "93.184.215.14";
export const READ: OAuthFetchInit = { method: "GET", headers: { accept: "application/json" }, redirect: "manual" };

export async function guarded({ url = "https://mcp.example/mcp", names = {}, handler, options }: World = {}) {
  const server = await serve(handler ?? ((_, response) => void response.end("{}")));
  const { port: real } = new URL(server.url);
  /** The addresses that a connection would have gone to, with the port. */
  const connects: string[] = [];
  const lookups: string[] = [];
  const fetch = makeGuardedFetch({
    server: "tested",
    url,
    env: {},
    async resolve(hostname) {
      lookups.push(hostname);
      const found = [names[hostname] ?? PUBLIC].flat();
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
  const read = (from: string, init: Partial<OAuthFetchInit> = {}) => fetch(from, { ...READ, ...init });
  return { server, read, connects, lookups };
}
