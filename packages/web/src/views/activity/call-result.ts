/** How the end of a call is shown. Pure. */
import { isFailedCall, isStoppedCode } from "@plugboard/contracts";
import type { StoppedCode } from "@plugboard/contracts";
import type { Tone } from "../../components/layout.tsx";
import type { CallRecord } from "../../store/page-state.ts";

interface CallResult {
  readonly label: string;
  readonly tone: Tone;
}

const STOPPED: { readonly [Code in StoppedCode]: CallResult } = {
  TOOL_DENIED: { label: "denied", tone: "warn" },
  CANCELLED: { label: "cancelled", tone: "neutral" },
};

export function callResult(call: CallRecord): CallResult {
  const { outcome, code } = call;
  if (outcome === "running") return { label: "running", tone: "info" };
  if (isStoppedCode(code)) return STOPPED[code];
  return isFailedCall(call) ? { label: code ?? "tool error", tone: "danger" } : { label: "done", tone: "ok" };
}

/** Returns the size of the arguments that the server got. Undefined if it got none. */
export function sentBytes({ notSent, argumentBytes }: CallRecord): number | undefined {
  return notSent ? undefined : argumentBytes;
}
