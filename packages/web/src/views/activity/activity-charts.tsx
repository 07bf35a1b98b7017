/** Latency and number of calls over time, of all servers or of the selected one. */
import type { CallStats, CallTotals } from "@plugboard/contracts";
import { BarChart, LineChart } from "../../components/charts.tsx";
import { Card, Stat } from "../../components/layout.tsx";
import { formatKnownMs, formatTime, plural } from "../../format/format.ts";

export interface TimeSpan {
  readonly ms: number;
  readonly label: string;
}

export interface ActivityChartsProps {
  /** Undefined until the host has answered. */
  readonly stats: CallStats | undefined;
  readonly span: TimeSpan;
  readonly now: number;
}

const NO_CALLS: CallTotals = { calls: 0, failed: 0, argumentBytes: 0, resultBytes: 0, phases: {} };

export function ActivityCharts({ stats, span, now }: ActivityChartsProps) {
  const { calls, failed, phases } = stats ?? NO_CALLS;
  const { p50, p95, p99 } = phases.server ?? {};
  const buckets = stats?.buckets ?? [];
  const bars = buckets.map((bucket) => ({
    total: bucket.calls,
    failed: bucket.failed,
    title: `${formatTime(bucket.from, now)}: ${plural(bucket.calls, "call")}, ${bucket.failed} failed`,
  }));
  return (
    <>
      <div className="stats">
        <Stat name="Calls" value={calls.toLocaleString("en")} />
        <Stat name="Failed" value={failed.toLocaleString("en")} tone={failed > 0 ? "danger" : "neutral"} />
        <Stat name="Latency p50" value={formatKnownMs(p50)} />
        <Stat name="Latency p95" value={formatKnownMs(p95)} />
        <Stat name="Latency p99" value={formatKnownMs(p99)} />
      </div>
      <div className="columns">
        <Card title="Calls over time" actions={<Legend names={["calls", "failed"]} classes={["bar", "bar-failed"]} />}>
          <BarChart bars={bars} label={`${plural(calls, "call")}, ${failed} failed`} />
          <Axis span={span} />
        </Card>
        <Card
          title="Latency over time"
          actions={<Legend names={["p50", "p95", "p99"]} classes={["series-0", "series-1", "series-2"]} />}
        >
          <LineChart
            label={`Latency: p50 ${formatKnownMs(p50)}, p95 ${formatKnownMs(p95)}, p99 ${formatKnownMs(p99)}`}
            format={axisText}
            series={[
              { name: "p50", values: buckets.map((bucket) => bucket.phases.server?.p50) },
              { name: "p95", values: buckets.map((bucket) => bucket.phases.server?.p95) },
              { name: "p99", values: buckets.map((bucket) => bucket.phases.server?.p99) },
            ]}
          />
          <Axis span={span} />
          {p50 === undefined && (
            <p className="small muted">
              {calls === 0
                ? `No call in the last ${span.label}.`
                : "These calls have no latency: none of them was sent to a server and ended there."}
            </p>
          )}
        </Card>
      </div>
    </>
  );
}

/** Formats a power of ten with a single unit. */
function axisText(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function Axis({ span }: { span: TimeSpan }) {
  return (
    <div className="chart-axis">
      <span>{span.label} ago</span>
      <span>now</span>
    </div>
  );
}

function Legend({ names, classes }: { names: readonly string[]; classes: readonly string[] }) {
  return (
    <span className="row small muted">
      {names.map((name, index) => (
        <span key={name} className="row">
          <svg width="10" height="10" aria-hidden="true">
            <rect className={`legend ${classes[index]}`} width="10" height="10" rx="2" />
          </svg>
          {name}
        </span>
      ))}
    </span>
  );
}
