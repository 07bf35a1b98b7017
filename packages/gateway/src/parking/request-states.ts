/**
 * Issues request states: encrypted text that a client gets with a question and returns with the answer. Each is accepted
 * once, from the same caller and for the same request, until it expires.
 */
import { createHash, randomUUID } from "node:crypto";
import { canonicalJson, HostError, steadyNow } from "@plugboard/contracts";
import type { Caller, JsonObject, Clock } from "@plugboard/contracts";
import type { Op, Suspended } from "@plugboard/mcp";
import { decryptAesGcm, encryptAesGcm, newAesKey } from "@plugboard/store";

/** The call that a request state resumes: one that is parked here, or a portable one that is sent to its server again. */
export type ResumeTarget =
  | { readonly kind: "parked"; readonly callId: string }
  | ({ readonly kind: "portable" } & NonNullable<Suspended["portable"]>);

interface StatePayload {
  readonly id: string;
  /** The id of the caller. */
  readonly caller: string;
  /** The digest of the request. */
  readonly request: string;
  /** A time of the steady clock, which means nothing to another process. */
  readonly expiresAt: number;
  readonly target: ResumeTarget;
}

export class RequestStates {
  readonly #cipher = new StateCipher();
  readonly #clock: Clock;
  readonly #ttlMs: number;
  /** Expiry times of used states by id, oldest first. */
  readonly #used = new Map<string, number>();

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** The number of used states that it remembers. */
  get used(): number {
    return this.#used.size;
  }

  issue(target: ResumeTarget, op: Op, caller: Caller): string {
    const expiresAt = steadyNow(this.#clock) + this.#ttlMs;
    const payload: StatePayload = { id: randomUUID(), caller: caller.id, request: digest(op), expiresAt, target };
    return this.#cipher.encrypt(payload);
  }

  /** Throws STATE_REFUSED unless this is the first use, by the same caller, for the same request, before expiry. */
  redeem(state: string | undefined, op: Op, caller: Caller): ResumeTarget {
    if (state === undefined) throw stateRefused("it is missing, although the request has answers");
    const payload = this.#cipher.decrypt(state) as StatePayload | undefined;
    if (!payload) throw stateRefused("this host did not issue it");
    const now = steadyNow(this.#clock);
    if (payload.caller !== caller.id) throw stateRefused("it was issued to another client");
    if (payload.request !== digest(op)) throw stateRefused("it was issued for another request");
    if (payload.expiresAt <= now) throw stateRefused("it has expired");
    if (this.#used.has(payload.id)) throw stateRefused("it was already used");
    this.#forgetExpired(now);
    this.#used.set(payload.id, payload.expiresAt);
    return payload.target;
  }

  /** Stops at the first valid state, because all have the same lifetime. */
  #forgetExpired(now: number): void {
    for (const [id, expiresAt] of this.#used) {
      if (expiresAt > now) return;
      this.#used.delete(id);
    }
  }
}

function digest(op: Op): string {
  const { resumed: _, ...params } = op.params as JsonObject;
  return createHash("sha256")
    .update(canonicalJson([op.method, params]))
    .digest("base64url");
}

function stateRefused(reason: string): HostError {
  return new HostError("STATE_REFUSED", { reason });
}

/** Encrypts the states. The key is never stored, so states end with this process. */
class StateCipher {
  readonly #key = newAesKey();

  encrypt(content: object): string {
    return encryptAesGcm(JSON.stringify(content), this.#key).toString("base64url");
  }

  /** Returns undefined for a text that this object has not encrypted, such as one from before a restart. */
  decrypt(encrypted: string): unknown {
    const bytes = Buffer.from(encrypted, "base64url");
    // The decoder ignores invalid characters, so that several texts decode to the same bytes.
    if (bytes.toString("base64url") !== encrypted) return undefined;
    const text = decryptAesGcm(bytes, this.#key);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }
}
