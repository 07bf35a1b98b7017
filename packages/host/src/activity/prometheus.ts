/** Formats metrics in the Prometheus text format. */
import type { CallMetrics, Metrics } from "@plugboard/contracts";

type Labels = { readonly [name: string]: string | undefined };
interface Sample {
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export function toPrometheus({ servers, questions }: Metrics): string {
  const series = servers.flatMap(({ server = OTHER_LABEL, tools }) =>
    tools.map(({ tool = OTHER_LABEL, ...metrics }) => ({ labels: { server, tool }, metrics })),
  );
  return [
    formatFamily("plugboard_calls_total", "counter", "Calls that ended.", series.flatMap(outcomeSamples)),
    formatFamily(
      "plugboard_call_errors_total",
      "counter",
      "Calls that failed, by error code.",
      series.flatMap(errorSamples),
    ),
    formatFamily("plugboard_call_duration_seconds", "summary", "Duration of calls.", series.flatMap(durationSamples)),
    formatFamily(
      "plugboard_server_restarts_total",
      "counter",
      "Automatic restarts of servers.",
      servers.map(({ server = OTHER_LABEL, restarts }) => ({ labels: { server }, value: restarts })),
    ),
    formatFamily("plugboard_questions_asked_total", "counter", "Questions asked.", [
      { labels: {}, value: questions.asked },
    ]),
    formatFamily("plugboard_questions_answered_total", "counter", "Questions answered by a person.", [
      { labels: {}, value: questions.answered },
    ]),
  ].join("");
}

/** The label for names beyond the limit. No server or tool has an empty name. */
const OTHER_LABEL = "";

interface Series {
  readonly labels: Labels;
  readonly metrics: CallMetrics;
}

function outcomeSamples({ labels, metrics: { calls, toolErrors, errors } }: Series): Sample[] {
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  const counts = { complete: calls - toolErrors - failed, tool_error: toolErrors, failed };
  return Object.entries(counts).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value }));
}

function errorSamples({ labels, metrics }: Series): Sample[] {
  return Object.entries(metrics.errors).map(([code, value]) => ({ labels: { ...labels, code }, value }));
}

function durationSamples({ labels, metrics: { calls, latency } }: Series): Sample[] {
  const { p50, p90, p99, sum } = latency;
  const quantiles = Object.entries({ 0.5: p50, 0.9: p90, 0.99: p99 });
  return [
    ...quantiles.map(([quantile, ms]) => ({ labels: { ...labels, quantile }, value: ms / 1000 })),
    { suffix: "_sum", labels, value: sum / 1000 },
    { suffix: "_count", labels, value: calls },
  ];
}

function formatFamily(name: string, type: "counter" | "summary", help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value = ""]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
