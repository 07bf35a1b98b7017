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

export function isFailed(call: CallRecord): boolean {
  return callResult(call).tone === "danger";
}

/** True for a call that was denied or cancelled. */
export function isStopped({ code }: CallRecord): boolean {
  return code !== undefined && Object.hasOwn(STOPPED, code);
}
