/** Renders the statistics of calls as two tables: of several time spans, and of each tool in the last 24 hours. */
import type { CallPhase, CallStats, CallTotals } from "@plugboard/contracts";
import { renderTable } from "../render-table.ts";
import { NONE, renderBytes, renderMilliseconds } from "./render-activity.ts";

export interface SpanStats {
  readonly spanMs: number;
  readonly stats: CallStats;
}

const DAY_MS = 86_400_000;

/** The time spans that the command shows. */
export const SPANS = [
  { spanMs: 300_000, label: "5 minutes" },
  { spanMs: 3_600_000, label: "hour" },
  { spanMs: DAY_MS, label: "24 hours" },
  { spanMs: 7 * DAY_MS, label: "7 days" },
  { spanMs: 60 * DAY_MS, label: "60 days" },
];

const TIMES = ["P50", "P95", "P99"];

export function renderCallStats(spans: readonly SpanStats[]): string {
  if (spans.every(({ stats }) => stats.calls === 0)) return "No call has ended yet.\n";
  const bySpan = spans.map(({ spanMs, stats }) => [
    SPANS.find((one) => one.spanMs === spanMs)!.label,
    ...countCells(stats),
    renderBytes(stats.argumentBytes),
    renderBytes(stats.resultBytes),
  ]);
  const totals = renderTable(["LAST", "CALLS", "FAILED", ...TIMES, "SENT", "RECEIVED"], bySpan);
  const day = spans.find(({ spanMs }) => spanMs === DAY_MS)?.stats;
  if (!day || day.calls === 0) return totals;
  const byTool = day.groups.map((group) => [
    group.server === undefined ? "further tools" : `${group.server}:${group.tool ?? "unknown tools"}`,
    ...countCells(group),
    ...(["start", "queue", "question", "retries"] as const).map((phase) => waitCell(group, phase)),
  ]);
  const head = ["SERVER:TOOL, LAST 24 HOURS", "CALLS", "FAILED", ...TIMES, "START", "QUEUE", "QUESTION", "RETRIES"];
  return `${totals}\n${renderTable(head, byTool)}`;
}

function countCells({ calls, failed, phases: { server } }: CallTotals): string[] {
  const times = server ? [server.p50, server.p95, server.p99].map(renderMilliseconds) : TIMES.map(() => NONE);
  return [String(calls), String(failed), ...times];
}

/** The time that all calls together spent in the phase. */
function waitCell({ phases }: CallTotals, phase: CallPhase): string {
  const times = phases[phase];
  return times ? renderMilliseconds(times.sum) : NONE;
}
