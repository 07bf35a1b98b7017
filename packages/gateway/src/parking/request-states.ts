/** Gives out sealed states and takes each back once, from the caller and for the request it was given for. */
import { createHash, randomUUID } from "node:crypto";
import { canonicalJson, HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/mcp";
import type { Clock, Op, Suspended } from "@plugboard/mcp";
import { StateCipher } from "./state-cipher.ts";

/** What a state stands for: a call that waits here, or one that its server has let go. */
export type ResumeTarget =
  | { readonly kind: "parked"; readonly parked: string }
  | ({ readonly kind: "portable" } & NonNullable<Suspended["portable"]>);

interface StatePayload {
  readonly id: string;
  readonly caller: string;
  readonly request: string;
  /** Steady-clock time. It need not outlive this process, because the state does not. */
  readonly expiresAt: number;
  readonly target: ResumeTarget;
}

export class RequestStates {
  readonly #cipher = new StateCipher();
  readonly #clock: Clock;
  readonly #ttlMs: number;
  /** Used already, until they would have expired anyway; oldest first. */
  readonly #used = new Map<string, number>();

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  issue(target: ResumeTarget, op: Op, caller: Caller): string {
    const expiresAt = steadyNow(this.#clock) + this.#ttlMs;
    const payload: StatePayload = { id: randomUUID(), caller: caller.id, request: digest(op), expiresAt, target };
    return this.#cipher.encrypt(payload);
  }

  /** Throws STATE_REFUSED for anything but the first use by the right caller for the same request. */
  redeem(state: string | undefined, op: Op, caller: Caller): ResumeTarget {
    if (state === undefined) throw stateRefused("answers came without one");
    const payload = this.#cipher.decrypt(state) as StatePayload | undefined;
    if (!payload) throw stateRefused("it was not given by this host");
    const now = steadyNow(this.#clock);
    if (payload.caller !== caller.id) throw stateRefused("it was given to somebody else");
    if (payload.request !== digest(op)) throw stateRefused("it was given for another request");
    if (payload.expiresAt <= now) throw stateRefused("it has expired");
    if (this.#used.has(payload.id)) throw stateRefused("it has been used already");
    this.#forgetExpired(now);
    this.#used.set(payload.id, payload.expiresAt);
    return payload.target;
  }

  /** All live equally long, so they expire in the order they were claimed, or nearly. */
  #forgetExpired(now: number): void {
    for (const [id, expires] of this.#used) {
      if (expires > now) return;
      this.#used.delete(id);
    }
  }
}

function digest(op: Op): string {
  const { name = "", arguments: args = {} } = op.method === "tools/call" ? op.params : {};
  return createHash("sha256")
    .update(canonicalJson([op.method, name, args]))
    .digest("base64url");
}

function stateRefused(reason: string): HostError {
  return new HostError("STATE_REFUSED", { reason });
}
