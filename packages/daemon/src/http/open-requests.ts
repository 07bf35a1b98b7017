/** Limits the requests that each principal has open at the same time, so that no principal uses up all connections. */
import type { ServerResponse } from "node:http";
import { HostError } from "@plugboard/contracts";

/** Open requests end when calls end, so the client should not try again at once. */
const RETRY_AFTER_MS = 1000;

export class OpenRequests {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts the request until its response has closed. Throws TOO_MANY_REQUESTS above the limit. */
  add(principal: string, response: ServerResponse): void {
    const count = this.#counts.get(principal) ?? 0;
    if (count >= this.#limit) {
      throw new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "open" });
    }
    this.#counts.set(principal, count + 1);
    response.once("close", () => {
      const left = this.#counts.get(principal)! - 1;
      if (left > 0) this.#counts.set(principal, left);
      else this.#counts.delete(principal);
    });
  }
}
