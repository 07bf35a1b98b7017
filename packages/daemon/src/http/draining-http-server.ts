/** An HTTP server that finishes its responses before it closes, and the limit of its connections. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { HostError, toHostError } from "@plugboard/contracts";
import { KEEP_ALIVE, responsesAdvertising } from "./keep-alive.ts";
import { OpenResponses } from "./open-responses.ts";
import { sendError } from "./send-json.ts";
import type { KeepAlive } from "./keep-alive.ts";
import type { Listener } from "./stop-serving.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * How long a client may take to send the headers of a request, and the whole request. The times begin with the first
 * byte of the request, so an unused connection may stay open for longer. Checks are rare, because each wakes an idle
 * host.
 */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 10_000 };

/** The times that tests shorten. */
export interface DrainingHttpServerOptions extends Partial<typeof TIMEOUTS> {
  readonly keepAlive?: KeepAlive;
}

/** Answers a request with an error if the handler fails. */
export class DrainingHttpServer implements Listener {
  readonly server: Server;
  readonly #handle: Handle;
  readonly #responses = new OpenResponses();
  #closed: Promise<unknown> | undefined;

  constructor(handle: Handle, { keepAlive = KEEP_ALIVE, ...timeouts }: DrainingHttpServerOptions = {}) {
    this.#handle = handle;
    const ServerResponse = responsesAdvertising(keepAlive.advertisedMs);
    this.server = createServer(
      { ...TIMEOUTS, ...timeouts, keepAliveTimeout: keepAlive.closedAfterMs, ServerResponse },
      (request, response) => void this.#answer(request, response),
    );
    // By default Node ignores headers above a number, so a client could hide those of a proxy. Their size is limited.
    this.server.maxHeadersCount = 0;
    this.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      continueWhenRead(request, response);
      void this.#answer(request, response);
    });
  }

  /** Refuses new connections. Answers new requests on open connections with HOST_CLOSED. */
  stopAccepting(): void {
    if (!this.server.listening) return;
    this.#closed = once(this.server, "close");
    this.server.close();
    for (const response of this.#responses) if (!response.headersSent) response.setHeader("connection", "close");
  }

  /** Answers pending requests with HOST_CLOSED, including requests that have not arrived in full. */
  rejectPending(): void {
    for (const response of this.#responses) sendError(response, hostClosed());
  }

  /** Resolves when the pending responses have been sent. */
  async finished(): Promise<void> {
    await Promise.all(
      [...this.#responses].map((response) => new Promise((resolve) => response.once("close", resolve))),
    );
  }

  /** Closes the remaining connections. */
  async disconnect(): Promise<void> {
    this.server.closeAllConnections();
    await this.#closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#responses.add(request, response)) return;
    try {
      if (this.#closed) {
        response.setHeader("connection", "close");
        throw hostClosed();
      }
      await this.#handle(request, response);
    } catch (thrown) {
      sendError(response, toHostError(thrown));
    }
    // Drops a body that nobody has read. Otherwise it uses memory until the response has been sent.
    if (response.writableEnded && !request.readableEnded) request.resume();
  }
}

/**
 * Sends `100 Continue` only when the handler reads the body. Until then the handler can refuse the request,
 * for example because of its origin, its token or its length.
 */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request._read = (size) => {
    Reflect.deleteProperty(request, "_read");
    // The body of an answered request is read too, to drop it.
    if (!response.headersSent) response.writeContinue();
    request._read(size);
  };
}

function hostClosed(): HostError {
  return new HostError("HOST_CLOSED", {});
}

const MAX_CONNECTIONS = 1000;
const MIN_CONNECTIONS = 4;

/** Returns the connection limit of one HTTP server. It leaves file descriptors for MCP servers and state files. */
export async function connectionLimit(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  return connectionsFor(Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity));
}

/** Gives the servers of the socket and of the port a quarter of the file descriptors each. */
export function connectionsFor(openFiles: number): number {
  return Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, Math.floor(openFiles / 4)));
}
