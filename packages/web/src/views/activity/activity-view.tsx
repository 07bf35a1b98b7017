/** Every call with its caller, result, duration and sizes, live, and the latency over time. */
import { useMemo, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { HostEvent } from "@plugboard/contracts";
import { BarChart, LineChart } from "../../components/charts.tsx";
import { Check, Select, TextInput } from "../../components/field.tsx";
import { Badge, Card, EmptyState, Notice, Stat, View } from "../../components/layout.tsx";
import { formatBytes, formatMs, formatTime, quantile } from "../../format/format.ts";
import { hrefOf } from "../../shell/route.ts";
import { usePage } from "../../store/context.tsx";
import type { CallRecord } from "../../store/page-state.ts";
import { useNow } from "../../store/use-now.ts";
import { filterCalls, isFailed, toBuckets } from "./call-statistics.ts";

const SPANS = [
  { value: "300000", label: "5 minutes" },
  { value: "3600000", label: "1 hour" },
  { value: "86400000", label: "24 hours" },
];
const BUCKETS = 48;
const SHOWN_CALLS = 200;

export function ActivityView() {
  const calls = usePage((state) => state.calls);
  const notices = usePage((state) => state.notices);
  const now = useNow(2000);
  const [span, setSpan] = useState("3600000");
  const [filter, setFilter] = useState({ server: "", caller: "", text: "", onlyFailed: false });
  const set = (change: Partial<typeof filter>) => setFilter({ ...filter, ...change });
  const shown = useMemo(() => filterCalls(calls, filter), [calls, filter]);
  const recent = shown.filter(({ at }) => at > now - Number(span));
  const buckets = useMemo(() => toBuckets(recent, now, Number(span), BUCKETS), [recent, now, span]);
  const durations = recent.flatMap(({ durationMs }) => durationMs ?? []);
  const value = (share: number) => {
    const found = quantile(durations, share);
    return found === undefined ? "–" : formatMs(found);
  };
  const choicesOf = (values: readonly string[], all: string) => [
    { value: "", label: all },
    ...[...new Set(values)].toSorted().map((one) => ({ value: one, label: sanitizeLine(one) })),
  ];
  return (
    <View title="Activity" actions={<Select aria-label="Time span" value={span} onValue={setSpan} choices={SPANS} />}>
      {notices.slice(0, 3).map(({ seq, at, event }) => (
        <Notice key={seq} tone={event.type === "config.changed" ? "info" : "warn"}>
          {formatTime(at, now)}: {sanitizeLine(noticeText(event))}
        </Notice>
      ))}
      <div className="stats">
        <Stat name="Calls" value={String(recent.length)} />
        <Stat name="Failed" value={String(recent.filter(isFailed).length)} />
        <Stat name="p50" value={value(0.5)} />
        <Stat name="p95" value={value(0.95)} />
        <Stat name="p99" value={value(0.99)} />
      </div>
      <div className="columns">
        <Card title="Calls over time">
          <BarChart bars={buckets} label={`${recent.length} calls, ${recent.filter(isFailed).length} failed`} />
          <Axis span={span} top={`at most ${Math.max(0, ...buckets.map(({ total }) => total))} in one bar`} />
        </Card>
        <Card title="Latency" actions={<Legend />}>
          <LineChart
            label={`Latency: p50 ${value(0.5)}, p95 ${value(0.95)}, p99 ${value(0.99)}`}
            series={[
              { name: "p50", values: buckets.map(({ p50 }) => p50) },
              { name: "p95", values: buckets.map(({ p95 }) => p95) },
              { name: "p99", values: buckets.map(({ p99 }) => p99) },
            ]}
          />
          <Axis span={span} top={durations.length === 0 ? "" : `at most ${formatMs(Math.max(...durations))}`} />
        </Card>
      </div>
      <div className="card">
        <div className="card-head">
          <div style={{ width: "10rem" }}>
            <Select
              aria-label="Server"
              value={filter.server}
              onValue={(server) => set({ server })}
              choices={choicesOf(
                calls.map((call) => call.server),
                "All servers",
              )}
            />
          </div>
          <div style={{ width: "9rem" }}>
            <Select
              aria-label="Caller"
              value={filter.caller}
              onValue={(caller) => set({ caller })}
              choices={choicesOf(
                calls.map((call) => call.caller),
                "All callers",
              )}
            />
          </div>
          <div style={{ width: "12rem" }}>
            <TextInput
              type="search"
              aria-label="Filter calls"
              placeholder="Tool, client or error"
              value={filter.text}
              onValue={(text) => set({ text })}
            />
          </div>
          <Check checked={filter.onlyFailed} onChecked={(onlyFailed) => set({ onlyFailed })}>
            Only failed
          </Check>
        </div>
        {shown.length === 0 ? (
          <EmptyState title={calls.length === 0 ? "No calls yet" : "No call matches"} />
        ) : (
          <div className="table-scroll">
            <table className="table table-cards">
              <caption className="hidden-text">Calls</caption>
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Tool</th>
                  <th>Caller</th>
                  <th>Result</th>
                  <th className="number">Duration</th>
                  <th className="number">Sent</th>
                  <th className="number">Received</th>
                </tr>
              </thead>
              <tbody>
                {shown.slice(0, SHOWN_CALLS).map((call) => (
                  <CallRow key={call.call} call={call} now={now} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {shown.length > SHOWN_CALLS && (
          <p className="card-body small muted">
            The latest {SHOWN_CALLS} of {shown.length} calls.
          </p>
        )}
      </div>
    </View>
  );
}

function Axis({ span, top }: { span: string; top: string }) {
  return (
    <div className="chart-axis">
      <span>{SPANS.find(({ value }) => value === span)?.label} ago</span>
      <span>{top}</span>
      <span>now</span>
    </div>
  );
}

function Legend() {
  return (
    <span className="row small muted">
      {["p50", "p95", "p99"].map((name, index) => (
        <span key={name} className="row">
          <svg width="14" height="4" aria-hidden="true">
            <line className={`chart-line series-${index}`} x1="0" x2="14" y1="2" y2="2" strokeWidth="3" />
          </svg>
          {name}
        </span>
      ))}
    </span>
  );
}

function CallRow({ call, now }: { call: CallRecord; now: number }) {
  const { at, server, tool, caller, client, outcome, code, durationMs, argumentBytes, resultBytes } = call;
  const failed = isFailed(call);
  const label = outcome === "running" ? "running" : failed ? (code ?? "tool error") : "done";
  return (
    <tr>
      <td data-label="Time" className="nowrap muted">
        {formatTime(at, now)}
      </td>
      <td data-label="Tool">
        <a href={hrefOf("tools", server, tool)}>
          <code>
            {sanitizeLine(server)}:{sanitizeLine(tool)}
          </code>
        </a>
      </td>
      <td data-label="Caller">
        {caller}
        {client !== undefined && <span className="muted"> {sanitizeLine(client)}</span>}
      </td>
      <td data-label="Result">
        <Badge tone={outcome === "running" ? "info" : failed ? "danger" : "ok"} dot>
          {label}
        </Badge>
        {call.decision !== undefined && (
          <span className="small muted"> {DECISIONS[call.decision] ?? call.decision}</span>
        )}
      </td>
      <td data-label="Duration" className="number nowrap">
        {durationMs === undefined ? "" : formatMs(durationMs)}
      </td>
      <td data-label="Sent" className="number nowrap muted">
        {argumentBytes === undefined ? "" : formatBytes(argumentBytes)}
      </td>
      <td data-label="Received" className="number nowrap muted">
        {resultBytes === undefined ? "" : formatBytes(resultBytes)}
      </td>
    </tr>
  );
}

const DECISIONS: { readonly [decision: string]: string } = {
  once: "allowed once",
  session: "allowed for the session",
  always: "always allowed",
  allow: "allowed by another answer",
  no: "denied by you",
  deny: "denied by a rule",
  nobody_to_ask: "nobody to ask",
  dismissed: "not answered",
  deadline: "not answered in time",
};

function noticeText(event: HostEvent): string {
  switch (event.type) {
    case "config.changed": {
      const { added, removed, changed } = event;
      const parts = [
        added.length > 0 && `added ${added.join(", ")}`,
        removed.length > 0 && `removed ${removed.join(", ")}`,
        changed.length > 0 && `changed ${changed.join(", ")}`,
      ];
      return `The config was read again: ${parts.filter(Boolean).join("; ") || "no server changed"}.`;
    }
    case "config.failed":
    case "state.failed":
    case "login.failed":
    case "port.failed":
      return event.error.message;
    case "question.unattended":
      return `Nobody could answer a question of ${event.server}: ${event.message}`;
    case "sampling.refused":
      return `${event.server} may not use your model: ${event.reason}`;
    case "activity.failed":
    case "telemetry.failed":
      return event.reason;
    default:
      return event.type;
  }
}
