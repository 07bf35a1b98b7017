/** A series: the calls of one caller or client, of one tool, that ended in one way. */
import { clientNameOf } from "@plugboard/contracts";
import type { CallerKind } from "@plugboard/contracts";
import type { EndedCall } from "./call-cell.ts";
import { truncateName } from "./journal-line.ts";

export interface CallSeries {
  /** Equal for equal series, also of other processes. */
  readonly key: string;
  readonly caller: CallerKind;
  readonly client?: string | undefined;
  readonly server: string;
  /** Undefined for a tool that the server does not have. Models invent names, and those must not use up the limit. */
  readonly tool?: string | undefined;
  /** `complete`, `tool_error` or an error code. */
  readonly outcome: string;
}

/** The number of series that are counted separately. */
export const MAX_SERIES = 1000;

/** Counts the calls of all further series together. It keeps the totals right. */
export const OTHER = "other";

/** Series and `other` in one type, because both are the key of numbers. */
export type SeriesOrOther = CallSeries | typeof OTHER;

export function outcomeOf({ outcome, isError, code }: Pick<EndedCall, "outcome" | "isError" | "code">): string {
  return code ?? (isError ? "tool_error" : outcome);
}

export function seriesOf(call: EndedCall): CallSeries {
  const client = clientNameOf(call.caller);
  const outcome = outcomeOf(call);
  return makeSeries({
    caller: call.caller.kind,
    client: client === undefined ? undefined : truncateName(client),
    server: call.server,
    tool: outcome === "TOOL_NOT_FOUND" ? undefined : truncateName(call.tool),
    outcome,
  });
}

export function makeSeries(fields: Omit<CallSeries, "key">): CallSeries {
  const { caller, client, server, tool, outcome } = fields;
  return { key: JSON.stringify([caller, client, server, tool, outcome]), ...fields };
}

/** Returns the error code, unless the calls are complete. */
export function codeOf({ outcome }: CallSeries): string | undefined {
  return outcome === "complete" || outcome === "tool_error" ? undefined : outcome;
}

/** Returns what all calls of the series have in common, for the checks of a single call. */
export function exampleOf(series: CallSeries) {
  const code = codeOf(series);
  const isError = series.outcome === "tool_error" ? (true as const) : undefined;
  return { ...series, outcome: code === undefined ? ("complete" as const) : ("failed" as const), isError, code };
}
