/**
 * What a connection is, and which facts may move it. Pure: no clock, no I/O.
 * `connection.ts` performs the effects and reports back what happened.
 *
 * A fact names the attempt it belongs to, so news from a dead process is
 * dropped here, once, instead of being guarded against in every callback.
 */
import type { HostError } from "@plugboard/contracts";

interface In<Phase extends string> {
  readonly phase: Phase;
  readonly attempt: number;
}

export type ConnectionState =
  | In<"idle" | "connecting" | "ready">
  | (In<"auth_required" | "error"> & { readonly error: HostError });

export type ConnectionFact =
  | { readonly type: "wanted" }
  | { readonly type: "opened"; readonly attempt: number }
  /** An attempt that failed, or an open connection that was lost. */
  | { readonly type: "failed"; readonly attempt: number; readonly error: HostError }
  | { readonly type: "stopped" };

export const IDLE: ConnectionState = { phase: "idle", attempt: 0 };

/** The same object comes back when the fact does not apply; callers compare by identity. */
export function step(state: ConnectionState, fact: ConnectionFact): ConnectionState {
  const { phase, attempt } = state;
  if ("attempt" in fact && fact.attempt !== attempt) return state;
  switch (fact.type) {
    case "wanted":
      return phase === "connecting" || phase === "ready" ? state : { phase: "connecting", attempt: attempt + 1 };
    case "opened":
      return phase === "connecting" ? { phase: "ready", attempt } : state;
    case "failed": {
      if (phase !== "connecting" && phase !== "ready") return state;
      const { error } = fact;
      return { phase: error.code === "AUTH_REQUIRED" ? "auth_required" : "error", attempt, error };
    }
    case "stopped":
      // A new number, so that nothing an earlier attempt still reports can apply.
      return phase === "idle" ? state : { phase: "idle", attempt: attempt + 1 };
  }
}
