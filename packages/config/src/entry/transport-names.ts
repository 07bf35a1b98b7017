/** The names of transports, including those that other clients use. */
import type { TransportName } from "@plugboard/contracts";
import type { RawEntry } from "./normalise-entry.ts";

export const TRANSPORTS: readonly TransportName[] = ["stdio", "http", "sse", "websocket", "claudeai-proxy", "sdk"];

const ALIASES: { readonly [name: string]: TransportName } = {
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  ws: "websocket",
};

/** All transport names that are accepted. */
export const TRANSPORT_SPELLINGS: readonly string[] = [...TRANSPORTS, ...Object.keys(ALIASES)];

/** Returns the transport in Plugboard's spelling, or the one that follows from the command or URL. It may be unknown. */
export function transportFor({ transport, command, url }: RawEntry): unknown {
  if (typeof transport === "string" && Object.hasOwn(ALIASES, transport)) return ALIASES[transport];
  if (transport !== undefined) return transport;
  if (command !== undefined) return "stdio";
  if (url === undefined) return undefined;
  return typeof url === "string" && /^wss?:/i.test(url) ? "websocket" : "http";
}
