/**
 * Limits the bytes of request bodies that each principal is sending at the same time. A client that opens many requests
 * and finishes none of them would otherwise fill the memory. A body counts until it has been parsed.
 */
import { HostError } from "@plugboard/contracts";

/** A few of the longest messages that a client may send. */
const MAX_BYTES = 96 * 1024 * 1024;
/** A body that does not arrive is given up after a minute, so the client should not try again at once. */
const RETRY_AFTER_MS = 5000;

interface ArrivingBodiesOptions {
  readonly limit?: number;
  /** The id of the only principal without a limit. */
  readonly unlimited?: string;
}

export interface ArrivingBody {
  /** Counts bytes that have arrived. Returns an error if the principal exceeds the limit. */
  add(bytes: number): HostError | undefined;
  end(): void;
}

export class ArrivingBodies {
  readonly #limit: number;
  readonly #unlimited: string | undefined;
  readonly #bytes = new Map<string, number>();

  constructor({ limit = MAX_BYTES, unlimited }: ArrivingBodiesOptions = {}) {
    this.#limit = limit;
    this.#unlimited = unlimited;
  }

  begin(principal: string): ArrivingBody {
    let bytes = 0;
    return {
      add: (more) => {
        bytes += more;
        if (this.#count(principal, more) <= this.#limit || principal === this.#unlimited) return undefined;
        return new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "bodies" });
      },
      end: () => void this.#count(principal, -bytes),
    };
  }

  #count(principal: string, more: number): number {
    const bytes = (this.#bytes.get(principal) ?? 0) + more;
    if (bytes > 0) this.#bytes.set(principal, bytes);
    else this.#bytes.delete(principal);
    return bytes;
  }
}
