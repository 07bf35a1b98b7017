/** How the end of a call is shown. Pure. */
import { isFailedCall, stoppedWord } from "@plugboard/contracts";
import type { Tone } from "../../components/layout.tsx";
import type { ShownCall } from "../../store/page-state.ts";

interface CallResult {
  readonly label: string;
  readonly tone: Tone;
}

export function callResult(call: ShownCall): CallResult {
  const { outcome, code } = call;
  if (outcome === "running") return { label: "running", tone: "info" };
  const stopped = stoppedWord(code);
  if (stopped) return { label: stopped, tone: stopped === "denied" ? "warn" : "neutral" };
  if (call.schemaMismatch) return { label: "schema mismatch", tone: "warn" };
  return isFailedCall(call) ? { label: code ?? "tool error", tone: "danger" } : { label: "done", tone: "ok" };
}

/** Returns the size of the arguments that the server got. Undefined if it got none. */
export function sentBytes({ notSent, argumentBytes }: ShownCall): number | undefined {
  return notSent ? undefined : argumentBytes;
}
