/** Latency and throughput of calls over time and by server. Pure. */
import { quantile } from "../../format/format.ts";
import { isFailedCall, serverMs } from "@plugboard/contracts";
import type { CallRecord } from "../../store/page-state.ts";

/** Numbers of calls, and the quantiles of their latencies in milliseconds. */
interface CallStatistics {
  readonly total: number;
  readonly failed: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

export interface Bucket extends CallStatistics {
  readonly from: number;
}

export interface ServerStatistics extends CallStatistics {
  readonly server: string;
  /** The number of calls in each part of the time. */
  readonly counts: readonly number[];
}

/** Divides the time before `now` into equal parts. */
export function toBuckets(calls: readonly CallRecord[], now: number, spanMs: number, count: number): Bucket[] {
  const width = spanMs / count;
  const start = now - spanMs;
  return groupByTime(calls, start, width, count).map((group, index) => ({
    from: start + index * width,
    ...statisticsOf(group),
  }));
}

/** Returns the servers with calls, the one with the most calls first. */
export function byServer(
  calls: readonly CallRecord[],
  now: number,
  spanMs: number,
  count: number,
): readonly ServerStatistics[] {
  const groups = new Map<string, CallRecord[]>();
  for (const call of calls) {
    const group = groups.get(call.server);
    if (group) group.push(call);
    else groups.set(call.server, [call]);
  }
  const statistics = [...groups].map(([server, group]) => ({
    server,
    counts: groupByTime(group, now - spanMs, spanMs / count, count).map(({ length }) => length),
    ...statisticsOf(group),
  }));
  return statistics.toSorted((a, b) => b.total - a.total || a.server.localeCompare(b.server));
}

export function statisticsOf(calls: readonly CallRecord[]): CallStatistics {
  const latencies = calls.flatMap((call) => serverMs(call) ?? []);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(latencies, share));
  return {
    total: calls.length,
    failed: calls.filter(isFailedCall).length,
    ...(p50 !== undefined && { p50 }),
    ...(p95 !== undefined && { p95 }),
    ...(p99 !== undefined && { p99 }),
  };
}

function groupByTime(calls: readonly CallRecord[], start: number, width: number, count: number): CallRecord[][] {
  const groups: CallRecord[][] = Array.from({ length: count }, () => []);
  for (const call of calls) {
    const index = Math.min(count - 1, Math.floor((call.at - start) / width));
    if (index >= 0) groups[index]!.push(call);
  }
  return groups;
}
