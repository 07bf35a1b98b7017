/**
 * The metrics since the host started: calls, errors and latencies of servers and tools, restarts, questions, and the
 * durations of requests and sessions. Calls are counted by `call-counter.ts`.
 */
import type {
  CallMetrics,
  DurationMetric,
  HostErrorCode,
  HostEvent,
  Metrics,
  OutcomeCount,
  ServerMetrics,
} from "@plugboard/contracts";
import { CallCell } from "./call-cell.ts";
import type { CallCounter } from "./call-counter.ts";
import { codeOf, OTHER } from "./call-series.ts";
import type { SeriesOrOther } from "./call-series.ts";
import { DURATION_BOUNDS, DurationMetrics, OVERFLOW, toPoint } from "./duration-metrics.ts";
import { endAttributes, metricAttributes } from "./operation.ts";
import type { Attributes } from "./operation.ts";

/** Limits the servers whose restarts are counted separately. */
const MAX_SERVERS = 500;

/** The calls of one series. After `joinCallers`: the calls of all callers to one tool that ended in the same way. */
interface Outcome {
  readonly series: SeriesOrOther;
  readonly cell: CallCell;
}

export class HostMetrics {
  readonly #since: number;
  readonly #calls: Pick<CallCounter, "sinceStart">;
  /** By server. Restarts of servers beyond the limit count under undefined. */
  readonly #restarts = new Map<string | undefined, number>();
  readonly durations = new DurationMetrics();
  #asked = 0;
  #answered = 0;

  constructor(since: number, calls: Pick<CallCounter, "sinceStart">) {
    this.#since = since;
    this.#calls = calls;
  }

  readonly onEvent = (event: HostEvent): void => {
    if (event.type === "question.asked") this.#asked += 1;
    if (event.type === "question.settled" && event.settlement.by === "answered") this.#answered += 1;
  };

  /** Counts an automatic restart of a server. */
  readonly recordRestart = (server: string): void => {
    const counted = this.#restarts.has(server) || this.#restarts.size < MAX_SERVERS ? server : undefined;
    this.#restarts.set(counted, (this.#restarts.get(counted) ?? 0) + 1);
  };

  snapshot(): Metrics {
    const outcomes = joinCallers(this.#calls.sinceStart());
    const byServer = groupBy(outcomes, ({ series }) => (series === OTHER ? undefined : series.server));
    for (const server of this.#restarts.keys()) if (!byServer.has(server)) byServer.set(server, []);
    return {
      since: this.#since,
      servers: [...byServer].map(([server, own]) => this.#serverMetrics(server, own)),
      outcomes: outcomes.map(toOutcomeCount),
      questions: { asked: this.#asked, answered: this.#answered },
      durations: withCalls(this.durations.snapshot(), outcomes),
    };
  }

  #serverMetrics(server: string | undefined, outcomes: readonly Outcome[]): ServerMetrics {
    const byTool = groupBy(outcomes, ({ series }) => (series === OTHER ? undefined : series.tool));
    return {
      ...(server !== undefined && { server }),
      ...toCallMetrics(outcomes),
      restarts: this.#restarts.get(server) ?? 0,
      tools: [...byTool].map(([tool, own]) => ({ ...(tool !== undefined && { tool }), ...toCallMetrics(own) })),
    };
  }
}

/**
 * Joins the series of all callers, because a client may read the metrics, but must not see the names of other clients.
 */
function joinCallers(all: readonly Outcome[]): Outcome[] {
  const joined = groupBy(all, ({ series }) =>
    series === OTHER ? OTHER : JSON.stringify([series.server, series.tool, series.outcome]),
  );
  return [...joined.values()].map((own) => ({ series: own[0]!.series, cell: sumOf(own) }));
}

function toCallMetrics(outcomes: readonly Outcome[]): CallMetrics {
  const all = sumOf(outcomes);
  const latency = all.phase("server");
  const errors: { [code in HostErrorCode]?: number } = {};
  let toolErrors = 0;
  for (const { series, cell } of outcomes) {
    if (series === OTHER) continue;
    const code = codeOf(series) as HostErrorCode | undefined;
    if (code !== undefined) errors[code] = (errors[code] ?? 0) + cell.calls;
    if (series.outcome === "tool_error") toolErrors += cell.calls;
  }
  return {
    calls: all.calls,
    toolErrors,
    errors,
    latency: {
      p50: latency?.quantile(0.5) ?? 0,
      p90: latency?.quantile(0.9) ?? 0,
      p99: latency?.quantile(0.99) ?? 0,
      max: latency?.max ?? 0,
      sum: latency?.sum ?? 0,
    },
  };
}

function toOutcomeCount({ series, cell }: Outcome): OutcomeCount {
  const { calls, argumentBytes, resultBytes } = cell.totals();
  if (series === OTHER) return { outcome: OTHER, calls, argumentBytes, resultBytes };
  const { server, tool, outcome } = series;
  return { server, ...(tool !== undefined && { tool }), outcome, calls, argumentBytes, resultBytes };
}

/** Adds the latencies of calls to the durations of requests, and a metric for the times in which calls waited. */
function withCalls(durations: readonly DurationMetric[], outcomes: readonly Outcome[]): DurationMetric[] {
  const requests = outcomes.flatMap(({ series, cell }) => {
    const latency = cell.phase("server");
    if (!latency?.count) return [];
    const code = series === OTHER ? undefined : series.outcome === "complete" ? undefined : series.outcome;
    return [toPoint({ ...attributesOf(series), ...endAttributes({ code }) }, latency)];
  });
  const byTool = groupBy(outcomes, ({ series }) => JSON.stringify(attributesOf(series)));
  const waits = [...byTool.values()].flatMap((own) => {
    const cell = sumOf(own);
    return (["start", "queue", "question", "retries"] as const).flatMap((phase) => {
      const histogram = cell.phase(phase);
      if (!histogram?.count) return [];
      return [toPoint({ ...attributesOf(own[0]!.series), "plugboard.phase": phase }, histogram)];
    });
  });
  return [
    ...durations.map((metric) =>
      metric.name === "mcp.client.operation.duration" ? { ...metric, points: [...requests, ...metric.points] } : metric,
    ),
    { name: "plugboard.call.wait.duration", bounds: DURATION_BOUNDS, points: waits },
  ];
}

function attributesOf(series: SeriesOrOther): Attributes {
  if (series === OTHER) return OVERFLOW;
  const { server, tool } = series;
  return metricAttributes({ side: "client", method: "tools/call", server, tool });
}

function sumOf(outcomes: readonly Outcome[]): CallCell {
  const sum = new CallCell();
  for (const { cell } of outcomes) sum.add(cell);
  return sum;
}

function groupBy<Key>(outcomes: readonly Outcome[], keyOf: (outcome: Outcome) => Key): Map<Key, Outcome[]> {
  const groups = new Map<Key, Outcome[]>();
  for (const outcome of outcomes) {
    const key = keyOf(outcome);
    const group = groups.get(key);
    if (group) group.push(outcome);
    else groups.set(key, [outcome]);
  }
  return groups;
}
