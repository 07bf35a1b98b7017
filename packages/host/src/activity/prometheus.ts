/** Formats metrics in the Prometheus text format. Names follow OpenTelemetry's rules for its metrics in Prometheus. */
import type { DurationMetric, Metrics, OutcomeCount } from "@plugboard/contracts";

type Labels = { readonly [name: string]: string | undefined };
interface Sample {
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export function toPrometheus({ servers, outcomes, questions, durations }: Metrics): string {
  const byOutcome = (valueOf: (count: OutcomeCount) => number) =>
    outcomes.map((count) => {
      const { server = OTHER_LABEL, tool = OTHER_LABEL, outcome } = count;
      return { labels: { server, tool, outcome }, value: valueOf(count) };
    });
  return [
    ...durations.map(formatDurations),
    formatFamily(
      "plugboard_calls_total",
      "counter",
      "Calls by outcome: complete, tool_error or an error code.",
      byOutcome(({ calls }) => calls),
    ),
    formatFamily(
      "plugboard_call_argument_bytes_total",
      "counter",
      "Estimated size of arguments as JSON.",
      byOutcome(({ argumentBytes }) => argumentBytes),
    ),
    formatFamily(
      "plugboard_call_result_bytes_total",
      "counter",
      "Estimated size of results as JSON.",
      byOutcome(({ resultBytes }) => resultBytes),
    ),
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

/**
 * The label of servers and tools that are counted together, because their number
 * exceeds a limit. No server has it as name.
 */
const OTHER_LABEL = "";

const HELP: { readonly [Name in DurationMetric["name"]]: string } = {
  "mcp.client.operation.duration": "Duration of requests to servers.",
  "mcp.server.operation.duration": "Duration of requests of gateway clients.",
  "mcp.client.session.duration": "Duration of sessions with servers.",
  "mcp.server.session.duration": "Duration of sessions of gateway clients.",
  "plugboard.call.wait.duration": "Time in which calls waited for their turn, for a person or for another attempt.",
};

function formatDurations({ name, bounds, points }: DurationMetric): string {
  const samples = points.flatMap(({ attributes, count, sum, buckets }) => {
    const labels = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [toName(key), value]));
    let below = 0;
    const cumulative = bounds.map((bound, index) => ({ bound: String(bound), value: (below += buckets[index]!) }));
    return [
      ...[...cumulative, { bound: "+Inf", value: count }].map(({ bound, value }) => ({
        suffix: "_bucket",
        labels: { ...labels, le: bound },
        value,
      })),
      { suffix: "_sum", labels, value: sum },
      { suffix: "_count", labels, value: count },
    ];
  });
  return formatFamily(`${toName(name)}_seconds`, "histogram", HELP[name], samples);
}

function toName(name: string): string {
  return name.replaceAll(".", "_");
}

function formatFamily(name: string, type: "counter" | "histogram", help: string, samples: readonly Sample[]): string {
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
