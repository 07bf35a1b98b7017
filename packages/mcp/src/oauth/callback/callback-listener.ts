/**
 * The local HTTP server that receives the browser's redirect after a login. It listens only during the login. Any local
 * program and any web page can send requests to it. So it accepts only one request, which must have the state of the
 * login, and ignores all others.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cancelled, HostError } from "@plugboard/contracts";
import { sendCallbackPage } from "./callback-page.ts";

export interface CallbackOptions {
  /** The server's id in error messages. */
  readonly server: string;
  /** Defaults to a free port. */
  readonly port?: number;
  readonly path?: string;
}

interface PendingCallback {
  readonly state: string;
  readonly resolve: (received: ReceivedCallback) => void;
  readonly reject: (error: HostError) => void;
}

interface ReceivedCallback {
  /** The redirect URL with its parameters. */
  readonly callback: URL;
  readonly response: ServerResponse;
}

const SERVER_LIMITS = {
  // The browser also sends cookies of other programs on this machine.
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};
const MAX_CONNECTIONS = 32;

export async function listenForCallback(options: CallbackOptions): Promise<CallbackListener> {
  const { server, port = 0, path = "/callback" } = options;
  const http = createServer(SERVER_LIMITS);
  http.maxConnections = MAX_CONNECTIONS;
  http.listen(port, "127.0.0.1");
  try {
    await once(http, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "EADDRINUSE" ? "is in use by another program" : `can't be opened (${code})`;
    throw new HostError(
      "LOGIN_FAILED",
      { server, reason: `port ${port}, which the browser returns to, ${problem}` },
      { cause: error },
    );
  }
  const redirectUrl = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  redirectUrl.pathname = path;
  return new CallbackListener(http, redirectUrl);
}

export class CallbackListener {
  readonly #http: Server;
  readonly #redirectUrl: URL;
  /** The accepted values of the `Host` header. */
  readonly #hosts: readonly string[];
  #pending: PendingCallback | undefined;

  constructor(http: Server, redirectUrl: URL) {
    this.#http = http;
    this.#redirectUrl = redirectUrl;
    this.#hosts = [redirectUrl.host, redirectUrl.host.replace(redirectUrl.hostname, "localhost")];
    http.on("request", (request, response) => void this.#handleRequest(request, response));
  }

  get redirectUri(): string {
    return this.#redirectUrl.href;
  }

  /**
   * Waits for the redirect with the given state and calls `redeem` with its URL, which has a code or an error. Shows in
   * the browser whether `redeem` succeeded, and settles with its result or error. Supports one login at a time.
   */
  async waitForCallback<T>(state: string, redeem: (callback: URL) => Promise<T>): Promise<T> {
    const { callback, response } = await new Promise<ReceivedCallback>((resolve, reject) => {
      this.#pending = { state, resolve, reject };
      if (!this.#http.listening) this.#cancelPending();
    });
    try {
      const redeemed = await redeem(callback);
      await sendCallbackPage(response, 200, "done");
      return redeemed;
    } catch (error) {
      const denied = callback.searchParams.get("error") === "access_denied";
      await sendCallbackPage(response, 400, denied ? "denied" : "failed");
      throw error;
    }
  }

  /** Closes all connections and rejects a pending `waitForCallback`. */
  async close(): Promise<void> {
    this.#cancelPending();
    if (!this.#http.listening) return;
    const closed = once(this.#http, "close");
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  #cancelPending(): void {
    this.#pending?.reject(cancelled("the login was cancelled"));
    this.#pending = undefined;
  }

  async #handleRequest({ method, url = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    // Rejects DNS rebinding: a web page may point its own hostname at this machine.
    if (!this.#hosts.includes(headers.host?.toLowerCase() ?? "")) return sendCallbackPage(response, 403, "unexpected");
    const [path, query = ""] = url.split(/\?(.*)/s, 2);
    if (method !== "GET" || path !== this.#redirectUrl.pathname) return sendCallbackPage(response, 404, "unexpected");
    const callback = new URL(this.#redirectUrl);
    callback.search = query;
    const pending = this.#pending;
    const states = callback.searchParams.getAll("state");
    if (!pending || states.length !== 1 || !equalInConstantTime(states[0]!, pending.state)) {
      return sendCallbackPage(response, 400, "unexpected");
    }
    this.#pending = undefined;
    pending.resolve({ callback, response });
  }
}

/** Compares without revealing the position of the first difference. */
function equalInConstantTime(given: string, expected: string): boolean {
  const sha256 = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(sha256(given), sha256(expected));
}
