/**
 * Opens a WebSocket: one upgrade request, which goes to the server that is meant
 * and nowhere else. One whose credentials are refused is made once more if there
 * are others.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { ClientOptions, WebSocket } from "ws";
import type { Clock } from "../clock.ts";
import type { WireHeaders } from "../wire/transport.ts";
import type { Credentials } from "./credentials.ts";
import { mergeHeaders } from "./http-headers.ts";
import { retryFor } from "./http-refusal.ts";
import type { AuthRefusal, Retry } from "./http-refusal.ts";
import { notOpened, upgradeRefused } from "./websocket-failure.ts";

export interface UpgradeOptions {
  readonly server: string;
  readonly url: string;
  readonly headers: WireHeaders;
  /** Laid over the headers. */
  readonly credentials?: Credentials | undefined;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  /** How long the server may take; waiting for credentials does not count. */
  readonly openTimeoutMs?: number;
  /** Gives it up while it is being opened. */
  readonly signal?: AbortSignal;
}

const SUBPROTOCOL = "mcp";
const OPEN_MS = 30_000;

/** Resolves with what is made of it in the very moment it opens. Redirects are not followed: the headers are meant for that server alone. */
export async function upgrade<T>(options: UpgradeOptions, opened: (socket: WebSocket) => T): Promise<T> {
  const { url, credentials } = options;
  if (!credentials || !parseUrl(url)) return attempt(options, {}, opened);
  const request = { method: "GET", url: plainUrl(url) };
  const tried = new Set<Retry>();
  for (;;) {
    const sent = await unlessGivenUp(credentials.headers(request), options);
    try {
      return await attempt(options, sent, opened);
    } catch (error) {
      const refusal = refusalIn(error);
      if (!refusal || tried.has(retryFor(refusal))) throw error;
      tried.add(retryFor(refusal));
      if (!(await unlessGivenUp(credentials.refused(refusal, sent), options))) throw error;
    }
  }
}

async function attempt<T>(options: UpgradeOptions, sent: WireHeaders, opened: (socket: WebSocket) => T): Promise<T> {
  const { server, clock, openTimeoutMs = OPEN_MS, signal } = options;
  const socket = await makeSocket(options, sent);
  const secure = socket.url.startsWith("wss:");
  return new Promise((resolve, reject) => {
    const fail = (error: HostError) => {
      settle();
      reject(error);
      socket.terminate();
    };
    const giveUp = () => fail(givenUp(server));
    const settle = () => {
      stopTimer();
      signal?.removeEventListener("abort", giveUp);
    };
    const stopTimer = clock.after(openTimeoutMs, () => {
      const reason = `it did not accept the connection in ${openTimeoutMs} ms`;
      fail(new HostError("SERVER_UNREACHABLE", { server, reason }));
    });
    // To ws it is an error not to echo the subprotocol; many servers never look at it.
    socket.once("upgrade", ({ headers }) => void (headers["sec-websocket-protocol"] ??= SUBPROTOCOL));
    socket.once("unexpected-response", (_request, { statusCode = 0, headers }) =>
      fail(upgradeRefused(server, statusCode, headers)),
    );
    socket.on("error", (error) => fail(notOpened(server, error, secure)));
    socket.once("open", () => {
      settle();
      socket.removeAllListeners();
      resolve(opened(socket));
    });
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
  });
}

/** Loaded with the first WebSocket server. */
async function makeSocket(options: UpgradeOptions, sent: WireHeaders): Promise<WebSocket> {
  const { server, url, headers, maxMessageBytes } = options;
  const { WebSocket } = await import("ws");
  // Compression would let a small frame become a large one, and costs more than it saves on short messages.
  const settings: ClientOptions = {
    headers: mergeHeaders(headers, sent),
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    autoPong: false,
    followRedirects: false,
  };
  try {
    return new WebSocket(url, [SUBPROTOCOL], settings);
  } catch {
    // Without a cause: it quotes the url, in which there may be a secret.
    throw new HostError("SERVER_INVALID", { server, what: "its url or one of its headers is not valid" });
  }
}

/** What is asked to be upgraded is a request of HTTP. */
function plainUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol.replace(/^ws/, "http")}//${host}${pathname}`;
}

function refusalIn(error: unknown): AuthRefusal | undefined {
  return error instanceof HostError && error.code === "AUTH_REQUIRED" ? (error.cause as AuthRefusal) : undefined;
}

function unlessGivenUp<T>(awaited: T | Promise<T>, { server, signal }: UpgradeOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(givenUp(server));
    const settle = () => signal?.removeEventListener("abort", giveUp);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    Promise.resolve(awaited).finally(settle).then(resolve, reject);
  });
}

function givenUp(server: string): HostError {
  return new HostError("CONNECTION_CLOSED", { server });
}
