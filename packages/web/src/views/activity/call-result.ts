/** How the end of a call is shown. Pure. */
import type { Tone } from "../../components/layout.tsx";
import type { CallRecord } from "../../store/page-state.ts";

interface CallResult {
  readonly label: string;
  readonly tone: Tone;
}

/** The codes of calls that did not fail: a person or a rule denied them, or the caller cancelled them. */
const STOPPED: { readonly [code: string]: CallResult } = {
  TOOL_DENIED: { label: "denied", tone: "warn" },
  CANCELLED: { label: "cancelled", tone: "neutral" },
};

export function callResult(call: CallRecord): CallResult {
  const { outcome, isError, code } = call;
  if (outcome === "running") return { label: "running", tone: "info" };
  if (isStopped(call)) return STOPPED[code!]!;
  if (outcome === "failed" || isError) return { label: code ?? "tool error", tone: "danger" };
  return { label: "done", tone: "ok" };
}

/** The codes of calls that ended before they were sent to their server. */
const NOT_SENT = new Set(["INVALID_ARGUMENTS", "TOOL_DENIED", "NOBODY_TO_ASK", "TOOL_NOT_FOUND", "TOOL_OFF"]);

/** Returns the size of the arguments that the server got. Undefined if it got none. */
export function sentBytes({ code, argumentBytes }: CallRecord): number | undefined {
  return code !== undefined && NOT_SENT.has(code) ? undefined : argumentBytes;
}

export function isFailed(call: CallRecord): boolean {
  return callResult(call).tone === "danger";
}

/** True for a call that was denied or cancelled. */
export function isStopped({ code }: CallRecord): boolean {
  return code !== undefined && Object.hasOwn(STOPPED, code);
}
