/**
 * Stores calls between the question to a modern client and its answer. Gives the client a request state, and finds the
 * call by this state when the client repeats its request with the answer.
 */
import type { Caller, Clock } from "@plugboard/contracts";
import type { FrontContext, Op, Suspended } from "@plugboard/mcp";
import { MemoryEntryStore, memoryKeyRing } from "@plugboard/store";
import { Parking } from "./parking.ts";
import type { ParkingLimits } from "./parking.ts";
import { RequestStates } from "./request-states.ts";
import type { ResumeTarget, SharedStates } from "./request-states.ts";

const DEFAULT_LIMITS: ParkingLimits = { perFront: 8, total: 64, ttlMs: 10 * 60_000 };

/**
 * Receives the progress and log entries of a call. Its fields are replaced when the call continues in another request.
 */
export interface FrontSink {
  onProgress: FrontContext["onProgress"];
  onLog: FrontContext["onLog"];
}

type Portable = Omit<Extract<ResumeTarget, { kind: "portable" }>, "kind">;

/** The stored call: either a parked call, which is open here, or a portable one, which runs again. */
export type StoredCall = { readonly suspended: Suspended; readonly sink: FrontSink } | { readonly portable: Portable };

export class SuspendedCalls {
  readonly #parking: Parking;
  readonly #requestStates: RequestStates;
  readonly #sinks = new WeakMap<Suspended, FrontSink>();

  /** Without `shared`, the states of all calls end with this process. */
  constructor(clock: Clock, limits: Partial<ParkingLimits> = {}, shared = inMemory(clock)) {
    const allLimits = { ...DEFAULT_LIMITS, ...limits };
    this.#parking = new Parking(clock, allLimits);
    this.#requestStates = new RequestStates(clock, allLimits.ttlMs, shared);
  }

  /** Remembers which request of the client gets the progress of the call. */
  setSink(suspended: Suspended, sink: FrontSink): void {
    this.#sinks.set(suspended, sink);
  }

  /** Returns the request state for the client. Rejects with TOO_MANY_PARKED. */
  async store(suspended: Suspended, op: Op, session: Caller): Promise<string> {
    const { portable } = suspended;
    // No request receives progress until the call is resumed.
    const sink = this.#sinks.get(suspended);
    if (sink) sink.onProgress = sink.onLog = undefined;
    const target = portable
      ? ({ kind: "portable", ...portable } as const)
      : ({ kind: "parked", callId: this.#parking.park(suspended, session) } as const);
    return this.#requestStates.issue(target, op, session);
  }

  /** Rejects with STATE_REFUSED. */
  async take(state: string | undefined, op: Op, ctx: FrontContext): Promise<StoredCall> {
    const target = await this.#requestStates.redeem(state, op, ctx.session);
    if (target.kind === "portable") {
      const { kind: _, ...portable } = target;
      return { portable };
    }
    const suspended = this.#parking.take(target.callId);
    const sink = this.#sinks.get(suspended) ?? { onProgress: undefined, onLog: undefined };
    sink.onProgress = ctx.onProgress;
    sink.onLog = ctx.onLog;
    return { suspended, sink };
  }

  /**
   * Cancels the parked calls of a principal. Its portable calls are not stored here, and no other principal can use
   * their states.
   */
  forgetPrincipal(principal: string): void {
    this.#parking.forgetPrincipal(principal);
  }

  /** Cancels the parked calls. */
  close(): void {
    this.#parking.close();
  }
}

function inMemory(clock: Clock): SharedStates {
  return { entries: new MemoryEntryStore({ clock }), keys: memoryKeyRing(clock), scope: "" };
}
