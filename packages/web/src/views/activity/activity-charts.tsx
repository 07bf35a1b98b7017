/** Latency and number of calls over time, of all servers or of the selected one, and a row for each server. */
import { useMemo } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { BarChart, LineChart, Sparkline } from "../../components/charts.tsx";
import { Card, Stat } from "../../components/layout.tsx";
import { formatMs, formatTime, plural } from "../../format/format.ts";
import type { CallRecord } from "../../store/page-state.ts";
import { byServer, statisticsOf, toBuckets } from "./call-statistics.ts";

const BUCKETS = 48;
const SPARK_BUCKETS = 24;

export interface Span {
  readonly ms: number;
  readonly label: string;
}

interface ActivityChartsProps {
  /** The calls of the time span, after the filter. */
  readonly calls: readonly CallRecord[];
  readonly span: Span;
  readonly now: number;
}

export function ActivityCharts({ calls, span, now }: ActivityChartsProps) {
  const buckets = useMemo(() => toBuckets(calls, now, span.ms, BUCKETS), [calls, now, span.ms]);
  const { total, failed, p50, p95, p99 } = useMemo(() => statisticsOf(calls), [calls]);
  const bars = buckets.map((bucket) => ({
    ...bucket,
    title: `${formatTime(bucket.from, now)}: ${plural(bucket.total, "call")}, ${bucket.failed} failed`,
  }));
  return (
    <>
      <div className="stats">
        <Stat name="Calls" value={total.toLocaleString("en")} />
        <Stat name="Failed" value={failed.toLocaleString("en")} tone={failed > 0 ? "danger" : "neutral"} />
        <Stat name="p50" value={durationText(p50)} />
        <Stat name="p95" value={durationText(p95)} />
        <Stat name="p99" value={durationText(p99)} />
      </div>
      <div className="columns">
        <Card title="Calls over time" actions={<Legend names={["calls", "failed"]} classes={["bar", "bar-failed"]} />}>
          <BarChart bars={bars} label={`${plural(total, "call")}, ${failed} failed`} />
          <Axis span={span} />
        </Card>
        <Card
          title="Latency over time"
          actions={<Legend names={["p50", "p95", "p99"]} classes={["series-0", "series-1", "series-2"]} />}
        >
          <LineChart
            label={`Latency: p50 ${durationText(p50)}, p95 ${durationText(p95)}, p99 ${durationText(p99)}`}
            format={axisText}
            series={[
              { name: "p50", values: buckets.map((bucket) => bucket.p50) },
              { name: "p95", values: buckets.map((bucket) => bucket.p95) },
              { name: "p99", values: buckets.map((bucket) => bucket.p99) },
            ]}
          />
          <Axis span={span} />
        </Card>
      </div>
    </>
  );
}

interface ServerTableProps extends ActivityChartsProps {
  readonly selected: string;
  readonly onSelect: (server: string) => void;
}

/** A press on a server shows the charts and calls of this server alone. */
export function ServerTable({ calls, span, now, selected, onSelect }: ServerTableProps) {
  const servers = useMemo(() => byServer(calls, now, span.ms, SPARK_BUCKETS), [calls, now, span.ms]);
  if (servers.length === 0) return null;
  return (
    <div className="card table-scroll">
      <table className="table">
        <caption className="hidden-text">Calls by server</caption>
        <thead>
          <tr>
            <th>Server</th>
            <th>Calls over time</th>
            <th className="number">Calls</th>
            <th className="number">Failed</th>
            <th className="number">p50</th>
            <th className="number">p95</th>
            <th className="number">p99</th>
          </tr>
        </thead>
        <tbody>
          {servers.map(({ server, counts, total, failed, p50, p95, p99 }) => (
            <tr key={server} className={server === selected ? "selected" : ""}>
              <td>
                <Button
                  kind="quiet"
                  small
                  className="text-button"
                  aria-pressed={server === selected}
                  onClick={() => onSelect(server === selected ? "" : server)}
                >
                  {sanitizeLine(server)}
                </Button>
              </td>
              <td>
                <Sparkline values={counts} label={`Calls of ${sanitizeLine(server)} over time`} />
              </td>
              <td className="number">{total.toLocaleString("en")}</td>
              <td className={failed > 0 ? "number danger-text" : "number muted"}>{failed.toLocaleString("en")}</td>
              {[p50, p95, p99].map((value, index) => (
                <td key={index} className="number nowrap">
                  {durationText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function durationText(ms: number | undefined): string {
  return ms === undefined ? "–" : formatMs(ms);
}

/** A power of ten, in one unit. */
function axisText(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function Axis({ span }: { span: Span }) {
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
