/**
 * The GET stream on which a server with sessions sends messages that belong to no request. A server need not offer one.
 * Reopens a broken stream until `stop` is called. The stream does not keep the process alive.
 */
import { abortableDelay, steadyNow, HostError } from "@plugboard/contracts";
import { isAuthError } from "../../wire/is-auth-error.ts";
import type { ParsedMessage } from "../../wire/message.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { RequestAborter } from "../http/request-aborter.ts";
import type { HttpClient } from "../http/http-client.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { NOISE, parseMessage } from "../messages/parse-message.ts";
import { reconnectDelay } from "./reconnect-delay.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { StreamPosition } from "./stream-position.ts";

export interface PushStreamOptions {
  readonly client: HttpClient;
  readonly headers: WireHeaders;
  readonly random: () => number;
  readonly deliver: (incoming: ParsedMessage) => void;
}

/** A stream that was open this long counts as stable, even without events. */
const STABLE_MS = 30_000;

/** How long requests wait until the GET has been sent. */
const SEND_TIMEOUT_MS = 1000;
/** How long requests then wait for its response. Some servers respond only when they have an event to send. */
const OPEN_TIMEOUT_MS = 300;

/** Statuses of a server or proxy that is temporarily unavailable. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class PushStream {
  /** Resolves when the stream has been opened or rejected once, or after a timeout. */
  readonly opened: Promise<void>;
  isOpening = true;

  readonly #options: PushStreamOptions;
  readonly #aborter = new RequestAborter();
  #position = new StreamPosition();
  #onSent: () => void = () => {};
  #onOpened: () => void = () => {};

  constructor(options: PushStreamOptions) {
    this.#options = options;
    this.opened = new Promise((resolve) => {
      // This timer keeps the process alive while a request waits, because nothing else does.
      let timeout = setTimeout(() => this.#onOpened(), SEND_TIMEOUT_MS);
      this.#onSent = () => {
        clearTimeout(timeout);
        if (this.isOpening) timeout = setTimeout(() => this.#onOpened(), OPEN_TIMEOUT_MS);
      };
      this.#onOpened = () => {
        clearTimeout(timeout);
        this.isOpening = false;
        resolve();
      };
    });
    void this.#run();
  }

  stop(): void {
    this.#onOpened();
    this.#aborter.abort();
  }

  async #run(): Promise<void> {
    const { client, random } = this.#options;
    let failures = 0;
    for (;;) {
      const startedAt = steadyNow(client.clock);
      const result = await this.#connect();
      this.#onOpened();
      if (result === "rejected" || this.#aborter.aborted) return;
      const wasStable = result === "events" || steadyNow(client.clock) - startedAt >= STABLE_MS;
      failures = wasStable ? 0 : failures + 1;
      const delayMs = reconnectDelay(failures, this.#position.retryMs, random);
      await abortableDelay(client.clock, delayMs, [this.#aborter.signal], { background: true });
      if (this.#aborter.aborted) return;
    }
  }

  /** Reads one connection to its end. Returns whether it brought any events. */
  async #connect(): Promise<"events" | "no events" | "rejected"> {
    const { client } = this.#options;
    let received: "events" | "no events" = "no events";
    try {
      const headers = this.#headers();
      const request = { method: "GET", headers, background: true, onSent: () => this.#onSent() } as const;
      const response = await client.open(request, this.#aborter);
      this.#onOpened();
      if (!response.isEventStream) return this.#onRejected(response);
      this.#position.reconnect();
      await client.events(response, (event) => {
        received = "events";
        if (!this.#position.advance(event) || event.event !== "message" || event.data === "") return;
        const incoming = parseMessage(event.data);
        // Responses should not come on this stream, so a malformed message must not fail a request.
        this.#options.deliver(incoming.type === "malformed" ? NOISE : incoming);
      });
    } catch (thrown) {
      // Forgets the position. Otherwise the server would send the same large event again after a reconnect.
      if (thrown instanceof HostError && thrown.code === "MESSAGE_TOO_LARGE") this.#position = new StreamPosition();
      if (thrown instanceof HostError && isAuthError(thrown)) return "rejected";
    }
    return received;
  }

  #onRejected(response: HttpResponse): "no events" | "rejected" {
    const { status } = response;
    void response.discard();
    if (!TRANSIENT_STATUSES.has(status)) return "rejected";
    const waitMs = retryAfterMs(response.headers["retry-after"], this.#options.client.clock.now());
    if (waitMs !== undefined) this.#position.retryMs = waitMs;
    return "no events";
  }

  #headers(): WireHeaders {
    const { lastEventId } = this.#position;
    return { ...this.#options.headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  }
}
