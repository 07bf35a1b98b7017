/** Tests histograms against exact quantiles, the limits of the metrics, and the Prometheus format. */
import { CallCounter } from "#activity/call-counter.js";
import { CallHistory } from "#activity/call-history.js";
import { Histogram } from "#activity/histogram.js";
import { HostMetrics } from "#activity/metrics.js";
import { DurationMetrics } from "#activity/duration-metrics.js";
import { toPrometheus } from "#activity/prometheus.js";
import { Telemetry } from "#activity/telemetry.js";
import { ConnectionPool } from "#pool/connection-pool.js";
import { HostError, systemClock } from "@plugboard/contracts";
import type { HostEvent, Metrics } from "@plugboard/contracts";
import type { Outcome } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { endedCall } from "../helpers/ended-calls.ts";

function makeMetrics(since = 0) {
  const counter = new CallCounter(new CallHistory());
  const record = (fields: Parameters<typeof endedCall>[0] = {}) => counter.record(endedCall(fields));
  return { metrics: new HostMetrics(since, counter), record };
}

describe("Histogram", () => {
  const duration = fc.oneof(
    fc.double({ min: 0.02, max: 10, noNaN: true }),
    fc.double({ min: 0.02, max: 4e6, noNaN: true }),
  );

  it("returns every quantile with an error of at most 4 %", () => {
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.9, 0.99, 1),
        (all, share) => {
          const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1]!;
          expect(Math.abs(histogram(...all).quantile(share) - exact)).toBeLessThanOrEqual(0.04 * exact + 0.001);
        },
      ),
    );
  });

  it("equals, after adding another histogram, one that has recorded all durations of both", () => {
    fc.assert(
      fc.property(fc.array(duration), fc.array(duration), (some, others) => {
        const [sum, both] = [histogram(...some), histogram(...some, ...others)];
        sum.add(histogram(...others));
        expect([sum.count, sum.max]).toEqual([both.count, both.max]);
        expect(sum.sum).toBeCloseTo(both.sum, 3);
        for (const share of [0.1, 0.5, 0.99]) expect(sum.quantile(share)).toBe(both.quantile(share));
      }),
    );
  });

  it.each([
    ["no durations", [], 0, 0],
    ["durations of zero", [0, 0], 0, 0],
    ["durations below a microsecond", [0.0004, 0.0004], 0, 0],
    ["a negative duration", [-5], 0, 0],
    ["durations above an hour", [7.2e6, 7.2e6], 4_227_858.432, 7.2e6],
  ])("returns the median and the maximum of %s", (_, all, median, max) => {
    const made = histogram(...all);
    expect([made.quantile(0.5), made.max]).toEqual([median, max]);
  });
});

describe("HostMetrics", () => {
  it("counts calls, tool errors and errors by code, per tool and server", () => {
    const { metrics, record } = makeMetrics(5);
    for (let ms = 1; ms <= 100; ms++) record({ durationMs: ms, argumentBytes: 2, resultBytes: 10 });
    record({ tool: "write", durationMs: 10, isError: true });
    record({ tool: "write", outcome: "failed", code: "TOOL_DENIED", notSent: true });
    record({ tool: "write", outcome: "failed", code: "TOOL_DENIED", notSent: true });
    const close = (ms: number) => expect.toSatisfy((got: number) => Math.abs(got - ms) <= 0.04 * ms) as number;
    expect(metrics.snapshot()).toEqual({
      since: 5,
      servers: [
        {
          server: "files",
          calls: 103,
          toolErrors: 1,
          errors: { TOOL_DENIED: 2 },
          restarts: 0,
          latency: { p50: close(50), p90: close(90), p99: close(99), max: 100, sum: 5060 },
          tools: [
            {
              tool: "read",
              calls: 100,
              toolErrors: 0,
              errors: {},
              latency: { p50: close(50), p90: close(90), p99: close(99), max: 100, sum: 5050 },
            },
            {
              tool: "write",
              calls: 3,
              toolErrors: 1,
              errors: { TOOL_DENIED: 2 },
              latency: { p50: 10, p90: 10, p99: 10, max: 10, sum: 10 },
            },
          ],
        },
      ],
      outcomes: [
        { server: "files", tool: "read", outcome: "complete", calls: 100, argumentBytes: 200, resultBytes: 1000 },
        { server: "files", tool: "write", outcome: "tool_error", calls: 1, argumentBytes: 0, resultBytes: 0 },
        { server: "files", tool: "write", outcome: "TOOL_DENIED", calls: 2, argumentBytes: 0, resultBytes: 0 },
      ],
      questions: { asked: 0, answered: 0 },
      durations: expect.any(Array) as Metrics["durations"],
    } satisfies Metrics);
  });

  it("counts questions from events", () => {
    const { metrics } = makeMetrics();
    for (const event of sampleQuestions()) metrics.onEvent({ seq: 1, at: 1, ...event } as HostEvent);
    expect(metrics.snapshot()).toMatchObject({ servers: [], questions: { asked: 2, answered: 1 } });
  });

  it("adds up the calls of all callers, and contains no name of a caller", () => {
    const { metrics, record } = makeMetrics();
    const principal = { id: "1", name: "secret-project", mayApprove: false };
    record();
    record({ caller: { kind: "front", id: "f", principal } });
    expect(metrics.snapshot().outcomes).toMatchObject([{ server: "files", tool: "read", calls: 2 }]);
    expect(JSON.stringify(metrics.snapshot())).not.toContain("secret-project");
  });

  it("counts the first 1000 pairs of tool and outcome separately, and all others together", () => {
    const { metrics, record } = makeMetrics();
    for (let n = 0; n < 1500; n++) record({ server: `s${n % 2}`, tool: `t${n}` });
    record({ server: "s0", tool: "t0" });
    const { servers } = metrics.snapshot();
    expect(servers.flatMap(({ tools }) => tools)).toHaveLength(1001);
    expect(servers[0]!.tools[0]).toMatchObject({ tool: "t0", calls: 2 });
    expect(servers.map(({ server, calls }) => [server, calls])).toEqual([
      ["s0", 501],
      ["s1", 500],
      [undefined, 500],
    ]);
  });

  it("has the latencies of calls in one metric, and their waiting times in another", () => {
    const { metrics, record } = makeMetrics();
    record({ durationMs: 61_260, startMs: 1000, queueMs: 10, questionMs: 60_000 });
    record({ durationMs: 250, isError: true });
    record({ durationMs: 250, outcome: "failed", code: "TOOL_EXECUTION_FAILED" });
    record({ durationMs: 250, outcome: "failed", code: "TOOL_OFF", notSent: true });
    const { durations } = metrics.snapshot();
    const pointsOf = (name: string) =>
      durations.find((one) => one.name === name)!.points.map(({ attributes, sum }) => ({ sum, ...attributes }));
    const call = {
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "read",
      "plugboard.server": "files",
    };
    expect(pointsOf("mcp.client.operation.duration")).toEqual([
      { sum: 0.25, ...call },
      { sum: 0.25, ...call, "error.type": "tool_error" },
      { sum: 0.25, ...call, "error.type": "TOOL_EXECUTION_FAILED" },
    ]);
    expect(pointsOf("plugboard.call.wait.duration")).toEqual([
      { sum: 1, ...call, "plugboard.phase": "start" },
      { sum: 0.01, ...call, "plugboard.phase": "queue" },
      { sum: 60, ...call, "plugboard.phase": "question" },
    ]);
  });

  it("counts each restart of a shared server once", async () => {
    const { metrics } = makeMetrics();
    const processes = new Processes(systemClock);
    onTestFinished(() => processes.stopAll());
    const identity = { name: "test", version: "0" };
    const unattributedRequestHandler = () => () => Promise.reject(new Error("nobody asks"));
    const pool = new ConnectionPool({
      processes,
      clock: systemClock,
      identity,
      unattributedRequestHandler,
      onRestarted: metrics.recordRestart,
    });
    const target = { transport: "stdio", ...scriptedLegacy(), cwd: process.cwd(), env: {} } as const;
    const lease = () =>
      pool.lease({
        server: "s",
        target,
        settings: { startupTimeoutMs: 10_000, requestTimeoutMs: 10_000 },
        onChanged: () => {},
      });
    const leases = [lease(), lease()];
    const { connection } = leases[0]!;
    const { pid } = await connection.ready().then(() => connection);
    process.kill(pid!, "SIGKILL");
    while (connection.state.phase === "ready") await new Promise((resolve) => setImmediate(resolve));
    await connection.ready();
    expect(metrics.snapshot().servers).toMatchObject([{ server: "s", restarts: 1, calls: 0 }]);
    await Promise.all(leases.map(({ release }) => release()));
  });
});

describe("toPrometheus", () => {
  it("writes one family per metric, with cumulative buckets in seconds", () => {
    const { metrics, record } = makeMetrics();
    record({ durationMs: 1500, argumentBytes: 20, resultBytes: 300 });
    record({ durationMs: 60_030, questionMs: 60_000 });
    record({ durationMs: 400_000 });
    metrics.recordRestart("files");
    const tool = 'mcp_method_name="tools/call",gen_ai_operation_name="execute_tool",gen_ai_tool_name="read"';
    const labels = `${tool},plugboard_server="files"`;
    const bucket = (bound: string, count: number) =>
      `mcp_client_operation_duration_seconds_bucket{${labels},le="${bound}"} ${count}`;
    expect(toPrometheus(metrics.snapshot()).split("\n")).toEqual([
      "# HELP mcp_client_operation_duration_seconds Duration of requests to servers.",
      "# TYPE mcp_client_operation_duration_seconds histogram",
      ...["0.01", "0.02"].map((bound) => bucket(bound, 0)),
      ...["0.05", "0.1", "0.2", "0.5", "1"].map((bound) => bucket(bound, 1)),
      ...["2", "5", "10", "30", "60", "120", "300"].map((bound) => bucket(bound, 2)),
      bucket("+Inf", 3),
      `mcp_client_operation_duration_seconds_sum{${labels}} 401.53`,
      `mcp_client_operation_duration_seconds_count{${labels}} 3`,
      "# HELP mcp_server_operation_duration_seconds Duration of requests of gateway clients.",
      "# TYPE mcp_server_operation_duration_seconds histogram",
      "# HELP mcp_client_session_duration_seconds Duration of sessions with servers.",
      "# TYPE mcp_client_session_duration_seconds histogram",
      "# HELP mcp_server_session_duration_seconds Duration of sessions of gateway clients.",
      "# TYPE mcp_server_session_duration_seconds histogram",
      ...waitLines(labels),
      "# HELP plugboard_calls_total Calls by outcome: complete, tool_error or an error code.",
      "# TYPE plugboard_calls_total counter",
      'plugboard_calls_total{server="files",tool="read",outcome="complete"} 3',
      "# HELP plugboard_call_argument_bytes_total Estimated size of arguments as JSON.",
      "# TYPE plugboard_call_argument_bytes_total counter",
      'plugboard_call_argument_bytes_total{server="files",tool="read",outcome="complete"} 20',
      "# HELP plugboard_call_result_bytes_total Estimated size of results as JSON.",
      "# TYPE plugboard_call_result_bytes_total counter",
      'plugboard_call_result_bytes_total{server="files",tool="read",outcome="complete"} 300',
      "# HELP plugboard_server_restarts_total Automatic restarts of servers.",
      "# TYPE plugboard_server_restarts_total counter",
      'plugboard_server_restarts_total{server="files"} 1',
      "# HELP plugboard_questions_asked_total Questions asked.",
      "# TYPE plugboard_questions_asked_total counter",
      "plugboard_questions_asked_total 0",
      "# HELP plugboard_questions_answered_total Questions answered by a person.",
      "# TYPE plugboard_questions_answered_total counter",
      "plugboard_questions_answered_total 0",
      "",
    ]);
  });

  it("escapes names in labels", () => {
    const { metrics } = makeMetrics();
    const attributes = { "gen_ai.tool.name": 'a"} 1\nevil{x="\\' };
    metrics.durations.record("mcp.server.operation.duration", "key", () => attributes, 1);
    const [line] = toPrometheus(metrics.snapshot()).match(/^mcp_server_operation_duration_seconds_count.*$/m)!;
    expect(line).toBe(
      String.raw`mcp_server_operation_duration_seconds_count{gen_ai_tool_name="a\"} 1\nevil{x=\"\\"} 1`,
    );
  });
});

describe("DurationMetrics", () => {
  it("counts the first 2000 sets of attributes separately, and all others together", () => {
    const durations = new DurationMetrics();
    for (let n = 0; n < 2500; n++) {
      durations.record("mcp.client.operation.duration", `t${n}`, () => ({ "gen_ai.tool.name": `t${n}` }), 1);
    }
    durations.record("mcp.client.operation.duration", "t0", () => ({}), 1);
    const [{ points } = { points: [] }] = durations.snapshot();
    expect(points).toHaveLength(2001);
    expect(points[0]).toMatchObject({ count: 2 });
    expect(points.at(-1)).toMatchObject({ attributes: { "otel.metric.overflow": "true" }, count: 500 });
  });
});

describe("Telemetry", () => {
  it("records the duration of an operation with its method, its prompt and the type of its error", () => {
    const durations = new DurationMetrics();
    let now = 0;
    const telemetry = new Telemetry({ durations: () => durations, monotonicNow: () => now });
    const run = (outcome: Outcome) => {
      const active = telemetry.start({ side: "client", method: "prompts/get", server: "s", prompt: "p" });
      now += 250;
      active.end(outcome);
    };
    run({ type: "complete", result: {} });
    run({
      type: "failed",
      error: new HostError("REQUEST_FAILED", { server: "s", method: "prompts/get", code: -32000, message: "no" }),
    });
    const prompt = { "mcp.method.name": "prompts/get", "gen_ai.prompt.name": "p", "plugboard.server": "s" };
    expect(durations.snapshot()[0]!.points.map(({ attributes, sum }) => ({ sum, ...attributes }))).toEqual([
      { sum: 0.25, ...prompt },
      { sum: 0.25, ...prompt, "error.type": "REQUEST_FAILED", "rpc.response.status_code": "-32000" },
    ]);
  });

  it("counts the requests of clients for unknown tools as one set of attributes", () => {
    const durations = new DurationMetrics();
    const telemetry = new Telemetry({ durations: () => durations, monotonicNow: () => 0 });
    for (const tool of ["one", "two"]) {
      const error = new HostError("TOOL_NOT_FOUND", { tool });
      telemetry.start({ side: "server", method: "tools/call", tool }).end({ type: "failed", error });
    }
    expect(durations.snapshot()[1]!.points).toMatchObject([{ count: 2 }]);
  });
});

/** Returns the Prometheus lines for one call that waited a minute for a person. */
function waitLines(labels: string): string[] {
  const name = "plugboard_call_wait_duration_seconds";
  const all = `${labels},plugboard_phase="question"`;
  const bounds = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "30", "60", "120", "300", "+Inf"];
  return [
    `# HELP ${name} Time in which calls waited for their turn, for a person or for another attempt.`,
    `# TYPE ${name} histogram`,
    ...bounds.map((bound, index) => `${name}_bucket{${all},le="${bound}"} ${index < 11 ? 0 : 1}`),
    `${name}_sum{${all}} 60`,
    `${name}_count{${all}} 1`,
  ];
}

function histogram(...all: readonly number[]): Histogram {
  const made = new Histogram();
  for (const ms of all) made.record(ms);
  return made;
}

function sampleQuestions(): object[] {
  const question = { id: "q", type: "permission", owner: "workspace", server: "files", tool: "read", arguments: {} };
  return [
    { type: "question.asked", question },
    { type: "question.asked", question },
    {
      type: "question.settled",
      question,
      settlement: { by: "answered", answer: { type: "permission", decision: "no" } },
    },
    { type: "question.settled", question, settlement: { by: "deadline" } },
  ];
}
