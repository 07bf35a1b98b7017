/** Opens a WebSocket with one upgrade request. If its credentials are rejected, tries once more with new ones. */
import { HostError, abortable, parseUrl } from "@plugboard/contracts";
import type { ClientOptions, WebSocket } from "ws";
import type { Clock } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import type { HttpClientOptions } from "../http/http-client.ts";
import { mergeHeaders } from "../http/http-headers.ts";
import { authRetryFor } from "../http/http-status-error.ts";
import type { AuthRefusal, AuthRetry } from "../http/http-status-error.ts";
import { webSocketOpenError, upgradeRejectedError } from "./websocket-errors.ts";

export interface UpgradeOptions extends Omit<HttpClientOptions, "clock" | "env"> {
  readonly clock: Clock;
  /** How long the server may take to accept the connection. Waiting for credentials does not count. */
  readonly openTimeoutMs?: number;
  /** Cancels the attempt. */
  readonly signal?: AbortSignal;
}

const SUBPROTOCOL = "mcp";
const DEFAULT_OPEN_TIMEOUT_MS = 30_000;

/**
 * Calls `onOpen` in the same turn in which the socket opens, and resolves with its result. Does not follow redirects,
 * because the headers are for this server only.
 */
export async function upgradeToWebSocket<T>(options: UpgradeOptions, onOpen: (socket: WebSocket) => T): Promise<T> {
  const { url, credentials } = options;
  if (!credentials || !parseUrl(url)) return attemptUpgrade(options, {}, onOpen);
  const request = { method: "GET", url: toHttpUrl(url) };
  const triedRetries = new Set<AuthRetry>();
  for (;;) {
    const credentialHeaders = await untilAborted(credentials.headers(request), options);
    try {
      return await attemptUpgrade(options, credentialHeaders, onOpen);
    } catch (error) {
      const refusal = authRefusalOf(error);
      if (!refusal || triedRetries.has(authRetryFor(refusal))) throw error;
      triedRetries.add(authRetryFor(refusal));
      if (!(await untilAborted(credentials.onUnauthorized(refusal, credentialHeaders), options))) throw error;
    }
  }
}

async function attemptUpgrade<T>(
  options: UpgradeOptions,
  credentialHeaders: WireHeaders,
  onOpen: (socket: WebSocket) => T,
): Promise<T> {
  const { server, clock, openTimeoutMs = DEFAULT_OPEN_TIMEOUT_MS, signal } = options;
  const socket = await createSocket(options, credentialHeaders);
  const secure = socket.url.startsWith("wss:");
  return new Promise((resolve, reject) => {
    const fail = (error: HostError) => {
      settle();
      reject(error);
      socket.terminate();
    };
    const abort = () => fail(closedError(server));
    const settle = () => {
      stopTimer();
      signal?.removeEventListener("abort", abort);
    };
    const stopTimer = clock.after(openTimeoutMs, () => {
      const reason = `it did not accept the connection in ${openTimeoutMs} ms`;
      fail(new HostError("SERVER_UNREACHABLE", { server, reason }));
    });
    // Many servers do not send the subprotocol, but ws treats that as an error.
    socket.once("upgrade", ({ headers }) => void (headers["sec-websocket-protocol"] ??= SUBPROTOCOL));
    socket.once("unexpected-response", (_request, { statusCode = 0, headers }) =>
      fail(upgradeRejectedError(server, statusCode, headers)),
    );
    socket.on("error", (error) => fail(webSocketOpenError(server, error, secure)));
    socket.once("open", () => {
      settle();
      socket.removeAllListeners();
      resolve(onOpen(socket));
    });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** Loads ws on first use. */
async function createSocket(options: UpgradeOptions, credentialHeaders: WireHeaders): Promise<WebSocket> {
  const { server, url, headers, maxMessageBytes } = options;
  const { WebSocket } = await import("ws");
  // Compression is off, so that a small frame can't expand to a large message.
  const settings: ClientOptions = {
    headers: mergeHeaders(headers, credentialHeaders),
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    autoPong: false,
    followRedirects: false,
  };
  try {
    return new WebSocket(url, [SUBPROTOCOL], settings);
  } catch {
    // Omits the cause, because the error quotes the URL, which may contain a secret.
    throw new HostError("SERVER_INVALID", { server, reason: "its url or one of its headers is not valid" });
  }
}

/** Returns the URL of the HTTP request that is upgraded, which the credentials are for. Omits the query. */
function toHttpUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol.replace(/^ws/, "http")}//${host}${pathname}`;
}

function authRefusalOf(error: unknown): AuthRefusal | undefined {
  return error instanceof HostError && error.code === "AUTH_REQUIRED" ? (error.cause as AuthRefusal) : undefined;
}

function untilAborted<T>(value: T | Promise<T>, { server, signal }: UpgradeOptions): Promise<T> {
  return abortable(Promise.resolve(value), signal, () => closedError(server));
}

function closedError(server: string): HostError {
  return new HostError("CONNECTION_CLOSED", { server });
}
