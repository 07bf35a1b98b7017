/**
 * Where the browser comes back to from a login: a page on this machine, open for
 * as long as the login takes. Any program here and any page in the browser can
 * send requests to it, so only one that brings the state of the login is heard,
 * once; whatever else comes does not disturb it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cancelled, HostError } from "@plugboard/contracts";
import { sendCallbackPage } from "./callback-page.ts";

export interface CallbackOptions {
  /** How errors call the MCP server. */
  readonly server: string;
  /** A free one, unless told otherwise. */
  readonly port?: number;
  readonly path?: string;
}

interface PendingCallback {
  readonly state: string;
  readonly resolve: (arrival: ReceivedCallback) => void;
  readonly reject: (error: HostError) => void;
}

interface ReceivedCallback {
  /** What the browser was sent to, with all that it brought. */
  readonly callback: URL;
  readonly response: ServerResponse;
}

const SERVER_LIMITS = {
  // Cookies of whatever else is developed on this machine come along.
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
    const why = code === "EADDRINUSE" ? "is taken by another program" : `can't be opened (${code})`;
    throw new HostError(
      "LOGIN_FAILED",
      { server, reason: `port ${port}, where it would come back to, ${why}` },
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
  readonly #hosts: readonly string[];
  #pending: PendingCallback | undefined;

  constructor(http: Server, here: URL) {
    this.#http = http;
    this.#redirectUrl = here;
    this.#hosts = [here.host, here.host.replace(here.hostname, "localhost")];
    http.on("request", (request, response) => void this.#handleRequest(request, response));
  }

  get redirectUri(): string {
    return this.#redirectUrl.href;
  }

  /**
   * Waits for the browser to come back with that state, be it with a code or with a refusal, and ends as `redeem` does
   * with what it brought. The browser waits as long, so that its page can say how it went. For one login at a time.
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

  /** At once, whoever is still connected; who waits for the browser waits no longer. */
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
    // A page elsewhere may have its own name stand for this machine.
    if (!this.#hosts.includes(headers.host?.toLowerCase() ?? "")) return sendCallbackPage(response, 403, "unexpected");
    const [path, query = ""] = url.split(/\?(.*)/s, 2);
    if (method !== "GET" || path !== this.#redirectUrl.pathname) return sendCallbackPage(response, 404, "unexpected");
    const callback = new URL(this.#redirectUrl);
    callback.search = query;
    const expected = this.#pending;
    const states = callback.searchParams.getAll("state");
    if (!expected || states.length !== 1 || !equalInConstantTime(states[0]!, expected.state)) {
      return sendCallbackPage(response, 400, "unexpected");
    }
    this.#pending = undefined;
    expected.resolve({ callback, response });
  }
}

/** In a time that tells nothing. */
function equalInConstantTime(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}
