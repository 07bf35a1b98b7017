/** A series: the calls of one client, or of one kind of caller, to one tool, that ended in the same way. */
import { clientNameOf } from "@plugboard/contracts";
import type { CallerKind } from "@plugboard/contracts";
import type { EndedCall } from "./call-cell.ts";
import { truncateName } from "./journal-line.ts";

export interface CallSeries {
  /** Equal for equal series, also in different processes. */
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

/** Stands for all series beyond the limit. Their calls are counted together, so that the totals stay right. */
export const OTHER = "other";

/** The key under which calls are counted. */
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

/** Returns the error code of failed calls. Returns undefined if the calls are complete, also with a tool error. */
export function codeOf({ outcome }: CallSeries): string | undefined {
  return outcome === "complete" || outcome === "tool_error" ? undefined : outcome;
}

/** Returns the common fields of all calls of the series, in the form of a call, so that a filter can check them. */
export function exampleOf(series: CallSeries) {
  const code = codeOf(series);
  const isError = series.outcome === "tool_error" ? (true as const) : undefined;
  return { ...series, outcome: code === undefined ? ("complete" as const) : ("failed" as const), isError, code };
}
