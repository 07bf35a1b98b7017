/** Latency and throughput of calls over time. Pure. */
import { quantile } from "../../format/format.ts";
import type { CallRecord } from "../../store/page-state.ts";

export interface Bucket {
  readonly from: number;
  readonly total: number;
  readonly failed: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

/** Divides the time before `now` into equal parts. */
export function toBuckets(calls: readonly CallRecord[], now: number, spanMs: number, count: number): Bucket[] {
  const width = spanMs / count;
  const start = now - spanMs;
  const groups: CallRecord[][] = Array.from({ length: count }, () => []);
  for (const call of calls) {
    const index = Math.min(count - 1, Math.floor((call.at - start) / width));
    if (index >= 0) groups[index]!.push(call);
  }
  return groups.map((group, index) => {
    const durations = group.flatMap(({ durationMs }) => durationMs ?? []);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(durations, share));
    return {
      from: start + index * width,
      total: group.length,
      failed: group.filter(isFailed).length,
      ...(p50 !== undefined && { p50 }),
      ...(p95 !== undefined && { p95 }),
      ...(p99 !== undefined && { p99 }),
    };
  });
}

export function isFailed({ outcome, isError }: CallRecord): boolean {
  return outcome === "failed" || isError === true;
}

export interface CallFilter {
  readonly server: string;
  readonly caller: string;
  readonly text: string;
  readonly onlyFailed: boolean;
}

export function filterCalls(
  calls: readonly CallRecord[],
  { server, caller, text, onlyFailed }: CallFilter,
): CallRecord[] {
  const word = text.trim().toLowerCase();
  return calls.filter(
    (call) =>
      (server === "" || call.server === server) &&
      (caller === "" || call.caller === caller) &&
      (!onlyFailed || isFailed(call)) &&
      (word === "" ||
        `${call.server}:${call.tool} ${call.client ?? ""} ${call.code ?? ""}`.toLowerCase().includes(word)),
  );
}
