/** The transports, with one row each. A definition names one of them. */
import { parseUrl } from "../../lib/parse-url.ts";
import type { TransportName } from "./server-entry.ts";

interface TransportRow {
  /** The keys that an entry with this transport can have: those `for` this target, see `entry-keys.ts`. */
  readonly target: "stdio" | "url" | "proxy" | "sdk";
  /** The protocols of its URL. Absent if it has none. */
  readonly protocols?: readonly [string, ...string[]];
  /** Other names, which other clients use. */
  readonly spellings?: readonly string[];
  /** Its name in forms that offer a choice. */
  readonly label?: string;
}

const HTTP = ["https:", "http:"] as const;

export const TRANSPORTS = {
  stdio: { target: "stdio" },
  http: {
    target: "url",
    protocols: HTTP,
    spellings: ["streamable-http", "streamable_http", "streamableHttp"],
    label: "HTTP (streamable)",
  },
  sse: { target: "url", protocols: HTTP, label: "SSE (older servers)" },
  websocket: { target: "url", protocols: ["wss:", "ws:"], spellings: ["ws"], label: "WebSocket" },
  "claudeai-proxy": { target: "proxy", protocols: HTTP },
  sdk: { target: "sdk" },
} as const satisfies { readonly [Name in TransportName]: TransportRow };

/** The transports of servers at a URL that a user can choose. */
export type UrlTransport = {
  [Name in TransportName]: (typeof TRANSPORTS)[Name]["target"] extends "url" ? Name : never;
}[TransportName];

/** The rows with their names. */
export function transportRows(): readonly (readonly [TransportName, TransportRow])[] {
  return Object.entries(TRANSPORTS) as [TransportName, TransportRow][];
}

/** The transports of servers at a URL that a user can choose, in the order in which they are offered. */
export const URL_TRANSPORTS = transportRows().flatMap(([name, { target }]) =>
  target === "url" ? [name] : [],
) as readonly UrlTransport[];

/** The other names of transports, with the transport that each stands for. */
export const TRANSPORT_SPELLINGS: { readonly [spelling: string]: TransportName } = Object.fromEntries(
  transportRows().flatMap(([name, { spellings = [] }]) => spellings.map((spelling) => [spelling, name])),
);

/** Returns true for a server that is reached at a URL, and so may need a login. */
export function hasUrl(transport: TransportName): boolean {
  return "protocols" in TRANSPORTS[transport];
}

/** Returns the transport that is meant by a URL without further words, or undefined for a scheme of no transport. */
export function transportOfUrl(url: string): UrlTransport | undefined {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:/i.exec(url.trim()) ?? [];
  return URL_TRANSPORTS.find((name) => protocolsOf(name).includes(scheme.toLowerCase()));
}

/** Returns true if a URL has a protocol of the transport. */
export function hasProtocolOf(transport: TransportName, url: string): boolean {
  return protocolsOf(transport).includes(parseUrl(url)?.protocol ?? "");
}

/** Names a URL of the transport, such as `an http(s) URL`. */
export function describeUrls(transport: TransportName): string {
  const schemes = protocolsOf(transport).map((protocol) => protocol.slice(0, -1));
  const [secure = "", plain] = schemes;
  const kind = plain !== undefined && secure === `${plain}s` ? `${plain}(s)` : schemes.join(" or ");
  // Schemes such as `http` are read letter by letter.
  return `${/^[aefhilmnorsx]/.test(kind) ? "an" : "a"} ${kind} URL`;
}

function protocolsOf(transport: TransportName): readonly string[] {
  const row: TransportRow = TRANSPORTS[transport];
  return row.protocols ?? [];
}
