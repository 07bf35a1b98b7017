/**
 * The stream on which a server of sessions speaks of its own accord. It need
 * not offer one, and without it is only quieter; one that breaks is opened
 * again, as long as it takes. It keeps no process alive.
 */
import { steadyNow } from "../clock.ts";
import { isAboutLogin } from "../wire/about-login.ts";
import type { Incoming, Malformed } from "../wire/message.ts";
import type { WireHeaders } from "../wire/transport.ts";
import { Breaker, pause } from "./breaker.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { parseMessage } from "./parse-message.ts";
import { reconnectDelay } from "./reconnect-delay.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StreamPosition } from "./stream-position.ts";
import { HostError } from "@plugboard/contracts";

export interface PushOptions {
  readonly client: HttpClient;
  readonly headers: WireHeaders;
  readonly random: () => number;
  readonly deliver: (incoming: Incoming) => void;
}

/** No request is answered here, so nothing that comes can spoil one. */
const NOISE: Malformed = { type: "malformed", why: "not a message", like: "noise" };

/** A stream that lasted so long was in order, though nothing was said. */
const STEADY_MS = 30_000;

/** How long others wait for it to be asked for, and then for the server to open it: most do at once, some with the first word. */
const HEAD_START_MS = 1000;
const OPENING_MS = 300;

/** What a server or a proxy says that is not there at the moment. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class PushStream {
  /** Resolves when the server has opened or refused it the first time, or that takes too long. */
  readonly asked: Promise<void>;
  isAsking = true;

  readonly #options: PushOptions;
  readonly #breaker = new Breaker();
  #position = new StreamPosition();
  #onSent: () => void = () => {};
  #onAsked: () => void = () => {};

  constructor(options: PushOptions) {
    this.#options = options;
    this.asked = new Promise((resolve) => {
      // Whoever waits has nothing else that keeps the process alive.
      let late = setTimeout(() => this.#onAsked(), HEAD_START_MS);
      this.#onSent = () => {
        clearTimeout(late);
        if (this.isAsking) late = setTimeout(() => this.#onAsked(), OPENING_MS);
      };
      this.#onAsked = () => {
        clearTimeout(late);
        this.isAsking = false;
        resolve();
      };
    });
    void this.#run();
  }

  stop(): void {
    this.#onAsked();
    this.#breaker.break();
  }

  async #run(): Promise<void> {
    const { client, random } = this.#options;
    let failures = 0;
    for (;;) {
      const begun = steadyNow(client.clock);
      const heard = await this.#connect();
      this.#onAsked();
      if (heard === "refused" || this.#breaker.broken) return;
      failures = heard === "something" || steadyNow(client.clock) - begun >= STEADY_MS ? 0 : failures + 1;
      await pause(client.clock, reconnectDelay(failures, this.#position.retryMs, random), this.#breaker, true);
      if (this.#breaker.broken) return;
    }
  }

  async #connect(): Promise<"something" | "nothing" | "refused"> {
    const { client } = this.#options;
    let heard: "something" | "nothing" = "nothing";
    try {
      const headers = this.#headers();
      const request = { method: "GET", headers, background: true, onSent: () => this.#onSent() } as const;
      const response = await client.open(request, this.#breaker);
      this.#onAsked();
      if (!response.isEventStream) return this.#refused(response);
      this.#position.reconnect();
      await client.events(response, (event) => {
        heard = "something";
        if (!this.#position.advance(event) || event.event !== "message" || event.data === "") return;
        const incoming = parseMessage(event.data);
        this.#options.deliver(incoming.type === "malformed" ? NOISE : incoming);
      });
    } catch (thrown) {
      // What is too large would come again and again.
      if (thrown instanceof HostError && thrown.code === "MESSAGE_TOO_LARGE") this.#position = new StreamPosition();
      if (thrown instanceof HostError && isAboutLogin(thrown)) return "refused";
    }
    return heard;
  }

  #refused(response: HttpResponse): "nothing" | "refused" {
    const { status } = response;
    void response.discard();
    if (!PASSING.has(status)) return "refused";
    const wait = retryAfterMs(response.headers["retry-after"], this.#options.client.clock.now());
    if (wait !== undefined) this.#position.retryMs = wait;
    return "nothing";
  }

  #headers(): WireHeaders {
    const { lastId } = this.#position;
    return { ...this.#options.headers, ...(lastId !== undefined && { "last-event-id": lastId }) };
  }
}
