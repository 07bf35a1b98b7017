/**
 * How long the host keeps an unused connection open. The host tells clients a shorter time than it keeps connections
 * open. Otherwise a request sent just as the host closes would be lost. Node advertises the real time, so this file
 * overrides it.
 */
import type { IncomingMessage } from "node:http";
import { ObservedResponse } from "./unread-http-responses.ts";

export interface KeepAlive {
  /** The time in the `Keep-Alive` header, in whole seconds. */
  readonly advertisedMs: number;
  /** The time after which the host closes the connection. */
  readonly closedAfterMs: number;
}

/** Many clients that ignore the header, such as those in Go and Rust, close a connection themselves after 90 s. */
export const KEEP_ALIVE: KeepAlive = { advertisedMs: 75_000, closedAfterMs: 95_000 };

/** Returns a class of responses with this time in their `Keep-Alive` header. */
export function responsesAdvertising(advertisedMs: number): typeof ObservedResponse {
  return class<Request extends IncomingMessage = IncomingMessage> extends ObservedResponse<Request> {
    /** Node makes the header from this property. A header of our own would make every response slower. */
    get _keepAliveTimeout(): number {
      return advertisedMs;
    }

    /** Ignores the time after which Node closes the connection. */
    set _keepAliveTimeout(_: number) {}
  };
}
