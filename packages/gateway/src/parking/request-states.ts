/**
 * Issues request states: encrypted text that a client gets with a question and returns with the answer. Each state is
 * accepted once, from the same caller and for the same request, until it expires. The state of a portable call is also
 * accepted after a restart of the host. The state of a parked call ends with this process, so nothing of it is stored.
 */
import { createHash, randomUUID } from "node:crypto";
import { canonicalJson, HostError, principalIdOf, steadyNow } from "@plugboard/contracts";
import type { Caller, JsonObject, Clock } from "@plugboard/contracts";
import type { Op, Suspended } from "@plugboard/mcp";
import { memoryKeyRing } from "@plugboard/store";
import type { EntryStore, KeyRing } from "@plugboard/store";

/** The call that a request state resumes: one that is parked here, or a portable one that runs again. */
export type ResumeTarget =
  | { readonly kind: "parked"; readonly callId: string }
  | ({ readonly kind: "portable" } & NonNullable<Suspended["portable"]>);

/** Shared by the processes that accept each other's states. */
export interface SharedStates {
  /** Remembers which states were used. */
  readonly entries: EntryStore;
  readonly keys: KeyRing;
  /** Identifies the workspace and the profile. A state is not accepted for others. */
  readonly scope: string;
}

interface StatePayload {
  readonly id: string;
  /** The id of the caller. */
  readonly caller: string;
  readonly principal: string;
  /** The digest of the request. */
  readonly request: string;
  /**
   * Identifies the gateway that issued the state. `steadyExpiresAt` is valid only on the steady clock of its process.
   */
  readonly issuer: string;
  readonly steadyExpiresAt: number;
  /** Wall-clock times, for other processes. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly target: ResumeTarget;
}

/** Changes with the payload, so that another version of Plugboard does not misread it. */
const PURPOSE = "request_state_1";
const USED = "used_request_states";
/** How far the wall clock may differ from the one that issued a state. */
const CLOCK_SKEW_MS = 60_000;
/** How long a used state is remembered after its expiry, in case the wall clock is set back. */
const KEEP_USED_MS = 3_600_000;

export class RequestStates {
  readonly #issuer = randomUUID();
  readonly #ownKeys: KeyRing;
  readonly #shared: SharedStates;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  /** Expiry times of used states of this process by id, oldest first. The wall clock does not change them. */
  readonly #used = new Map<string, number>();

  constructor(clock: Clock, ttlMs: number, shared: SharedStates) {
    this.#clock = clock;
    this.#ownKeys = memoryKeyRing(clock);
    this.#ttlMs = ttlMs;
    this.#shared = shared;
  }

  /** The number of used states that are remembered in memory. */
  get used(): number {
    return this.#used.size;
  }

  async issue(target: ResumeTarget, op: Op, caller: Caller): Promise<string> {
    const issuedAt = this.#clock.now();
    const payload: StatePayload = {
      id: randomUUID(),
      caller: caller.id,
      principal: principalIdOf(caller),
      request: digest(op),
      issuer: this.#issuer,
      steadyExpiresAt: steadyNow(this.#clock) + this.#ttlMs,
      issuedAt,
      expiresAt: issuedAt + this.#ttlMs,
      target,
    };
    const keys = target.kind === "parked" ? this.#ownKeys : this.#shared.keys;
    return keys.seal(JSON.stringify(payload), this.#purpose);
  }

  /**
   * Rejects with STATE_REFUSED unless this is the first use, by the same caller, for the same request, before expiry.
   * Rejects with STORE_UNWRITABLE if the use can't be stored, or the principal has used too many; the state then stays valid.
   */
  async redeem(state: string | undefined, op: Op, caller: Caller): Promise<ResumeTarget> {
    if (state === undefined) throw stateRefused("it is missing, although the request has answers");
    const payload = await this.#open(state);
    if (!payload) throw stateRefused("this host did not issue it, or has been restarted since");
    if (payload.caller !== caller.id || payload.principal !== principalIdOf(caller))
      throw stateRefused("it was issued to another client");
    if (payload.request !== digest(op)) throw stateRefused("it was issued for another request");
    this.#checkTime(payload);
    await this.#use(payload);
    return payload.target;
  }

  async #open(state: string): Promise<StatePayload | undefined> {
    const text =
      (await this.#ownKeys.open(state, this.#purpose)) ?? (await this.#shared.keys.open(state, this.#purpose));
    return text === undefined ? undefined : (JSON.parse(text) as StatePayload);
  }

  /** A state of this process expires by the steady clock, so changes of the wall clock don't affect it. */
  #checkTime({ issuer, steadyExpiresAt, issuedAt, expiresAt }: StatePayload): void {
    const now = this.#clock.now();
    const isExpired = issuer === this.#issuer ? steadyExpiresAt <= steadyNow(this.#clock) : expiresAt <= now;
    if (isExpired) throw stateRefused("it has expired");
    if (issuer !== this.#issuer && issuedAt > now + CLOCK_SKEW_MS)
      throw stateRefused("it was issued in the future, so the clock was set back");
  }

  async #use({ id, principal, issuer, steadyExpiresAt, expiresAt, target }: StatePayload): Promise<void> {
    const isOwn = issuer === this.#issuer;
    if (isOwn) {
      if (this.#used.has(id)) throw stateRefused("it was already used");
      this.#forgetExpired();
      this.#used.set(id, steadyExpiresAt);
    }
    // No other process can resume a parked call, so its use is remembered only here.
    if (target.kind === "parked") return;
    const keepUntil = Math.max(expiresAt, this.#clock.now()) + KEEP_USED_MS;
    let isFirst: boolean;
    try {
      isFirst = await this.#shared.entries.once(USED, id, keepUntil, principal);
    } catch (error) {
      this.#used.delete(id);
      throw error;
    }
    if (!isFirst) throw stateRefused("it was already used");
  }

  /** Stops at the first valid state, because all have the same lifetime. */
  #forgetExpired(): void {
    const now = steadyNow(this.#clock);
    for (const [id, expiresAt] of this.#used) {
      if (expiresAt > now) return;
      this.#used.delete(id);
    }
  }

  get #purpose() {
    return { kind: PURPOSE, key: this.#shared.scope };
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
