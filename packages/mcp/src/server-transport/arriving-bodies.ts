/**
 * Limits the bytes of request bodies that each principal is sending at the same time. A client that opens many requests
 * and finishes none of them would otherwise fill the memory. A body counts until it has been parsed.
 */
import { HostError } from "@plugboard/contracts";

/** Enough for a few messages of the maximum length. */
const MAX_BYTES = 96 * 1024 * 1024;
/** A body that does not arrive counts for up to a minute, so the client should not try again at once. */
const RETRY_AFTER_MS = 5000;

interface ArrivingBodiesOptions {
  readonly limit?: number;
  /** The id of the only principal without a limit. */
  readonly unlimited?: string;
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
    return new ArrivingBody(principal, this);
  }

  /** Counts bytes of a principal that have arrived. Returns an error if it exceeds the limit. */
  add(principal: string, bytes: number): HostError | undefined {
    const sum = (this.#bytes.get(principal) ?? 0) + bytes;
    this.#bytes.set(principal, sum);
    if (sum <= this.#limit || principal === this.#unlimited) return undefined;
    return new HostError("TOO_MANY_REQUESTS", { limit: this.#limit, retryAfterMs: RETRY_AFTER_MS, per: "bodies" });
  }

  /** Forgets bytes that have been parsed. */
  remove(principal: string, bytes: number): void {
    const rest = (this.#bytes.get(principal) ?? 0) - bytes;
    if (rest > 0) this.#bytes.set(principal, rest);
    else this.#bytes.delete(principal);
  }
}

/** One body of a principal. */
export class ArrivingBody {
  readonly #principal: string;
  readonly #all: ArrivingBodies;
  #bytes = 0;

  constructor(principal: string, all: ArrivingBodies) {
    this.#principal = principal;
    this.#all = all;
  }

  /** Counts bytes that have arrived. Returns an error if the principal exceeds the limit. */
  add(bytes: number): HostError | undefined {
    this.#bytes += bytes;
    return this.#all.add(this.#principal, bytes);
  }

  end(): void {
    this.#all.remove(this.#principal, this.#bytes);
  }
}
