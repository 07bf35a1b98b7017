/**
 * A guarded fetch with scripted DNS. All connections go to one scripted server on this machine. The addresses that they
 * should go to are recorded. The connection is not encrypted, so that https URLs of any host can be used.
 */
import { connect } from "node:net";
import { once } from "node:events";
import { createGuardedFetch } from "@plugboard/mcp/oauth";
import type { GuardedFetchOptions, OAuthFetchInit } from "@plugboard/mcp/oauth";
import { startTestHttp } from "./open-http.ts";

interface GuardedFetchScript {
  /** The URL of the MCP server. */
  readonly url?: string;
  readonly names?: { readonly [hostname: string]: string | readonly string[] };
  /** Replaces the default server, which returns empty responses. */
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
  const { port: serverPort } = new URL(server.url);
  /** The addresses and ports that the connections were meant for, in order. */
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
      const socket = connect(Number(serverPort), "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    ...options,
  });
  const read = (readUrl: string, init: Partial<OAuthFetchInit> = {}) => fetch(readUrl, { ...READ_REQUEST, ...init });
  return { server, read, connects, lookups };
}
