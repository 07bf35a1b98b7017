/**
 * How long the host keeps an unused connection open. It names a shorter time to clients than it does: a request that is
 * sent at the moment of the close would be lost. Node names the time at which it closes.
 */
import type { IncomingMessage } from "node:http";
import { ObservedResponse } from "./unread-responses.ts";

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
