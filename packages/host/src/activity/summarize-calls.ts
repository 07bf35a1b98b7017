/** Adds up the numbers of calls in a time span: in total, over time, and by group. Pure. */
import { HostError, matchesCallFilter } from "@plugboard/contracts";
import type { CallGroup, CallStats, CallStatsQuery } from "@plugboard/contracts";
import { CallCell } from "./call-cell.ts";
import { CallHistory, MAX_SPAN_MS } from "./call-history.ts";
import { exampleOf, OTHER } from "./call-series.ts";
import type { SeriesOrOther } from "./call-series.ts";

const DEFAULT_SPAN_MS = 24 * 3_600_000;

interface Group {
  readonly names: Pick<CallGroup, "server" | "tool" | "caller" | "client">;
  readonly cell: CallCell;
  readonly counts: number[];
}

/** Summarizes all histories together. Calls that are counted as `other` match no filter. */
export function summarizeCalls(histories: readonly CallHistory[], query: CallStatsQuery, now: number): CallStats {
  const { spanMs = DEFAULT_SPAN_MS, by = "server" } = query;
  const bucketMs = CallHistory.bucketMsFor(spanMs);
  const count = Math.ceil(spanMs / bucketMs);
  const first = (Math.floor(now / bucketMs) - count + 1) * bucketMs;
  const total = new CallCell();
  const cells = Array.from({ length: count }, () => new CallCell());
  const groups = new Map<string, Group>();
  const groupOf = (series: SeriesOrOther): Group | undefined => {
    if (!isWanted(series, query)) return undefined;
    const names = namesOf(series, by);
    const key = JSON.stringify(names);
    const group = groups.get(key) ?? { names, cell: new CallCell(), counts: cells.map(() => 0) };
    groups.set(key, group);
    return group;
  };
  for (const history of histories) {
    const ofSeries = new Map<SeriesOrOther, Group | undefined>();
    history.forEach({ bucketMs, now, count }, (index, series, packed) => {
      if (!ofSeries.has(series)) ofSeries.set(series, groupOf(series));
      const group = ofSeries.get(series);
      if (!group) return;
      const before = group.cell.calls;
      for (const cell of [total, cells[index]!, group.cell]) cell.addPacked(packed);
      group.counts[index]! += group.cell.calls - before;
    });
  }
  return {
    ...total.totals(),
    bucketMs,
    buckets: cells.map((cell, index) => ({ from: first + index * bucketMs, ...cell.totals() })),
    groups: [...groups.values()]
      .toSorted((a, b) => b.cell.calls - a.cell.calls)
      .map(({ names, cell, counts }) => ({ ...names, ...cell.totals(), counts })),
  };
}

/** Throws USAGE for an invalid query. */
export function checkCallStatsQuery(query: CallStatsQuery): void {
  const { spanMs = 1, by = "server", server = "", caller = "", text = "", onlyFailed = false } = query;
  const problem =
    (!(typeof spanMs === "number" && spanMs > 0 && spanMs <= MAX_SPAN_MS) &&
      `spanMs must be a number from 1 to ${MAX_SPAN_MS} (60 days)`) ||
    (!["server", "tool", "client"].includes(by) && "by must be server, tool or client") ||
    ([server, caller, text].some((one) => typeof one !== "string") && "server, caller and text must be strings") ||
    (typeof onlyFailed !== "boolean" && "onlyFailed must be true or false");
  if (problem) throw new HostError("USAGE", { message: problem });
}

function isWanted(series: SeriesOrOther, query: CallStatsQuery): boolean {
  const { server, caller, text = "", onlyFailed = false } = query;
  if (series !== OTHER) return matchesCallFilter(exampleOf(series), query);
  return server === undefined && caller === undefined && text === "" && !onlyFailed;
}

function namesOf(series: SeriesOrOther, by: NonNullable<CallStatsQuery["by"]>): Group["names"] {
  if (series === OTHER) return {};
  const { server, tool, caller, client } = series;
  if (by === "client") return { caller, ...(client !== undefined && { client }) };
  return { server, ...(by === "tool" && tool !== undefined && { tool }) };
}
