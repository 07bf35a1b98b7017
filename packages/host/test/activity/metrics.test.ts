/** Tests histograms against exact quantiles, the limits of the metrics, and the Prometheus format. */
import { Histogram, HostMetrics } from "#activity/metrics.js";
import { DurationMetrics } from "#activity/duration-metrics.js";
import { toPrometheus } from "#activity/prometheus.js";
import { Telemetry } from "#activity/telemetry.js";
import { ConnectionPool } from "#pool/connection-pool.js";
import { HostError } from "@plugboard/contracts";
import type { HostEvent, Metrics } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp";
import type { Outcome } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

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

  it("gives the same result if two histograms are added as if all durations were recorded in one", () => {
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
    ["durations below a microsecond", [0.0004, 0.0004], 0, 0.0004],
    ["a negative duration", [-5], 0, 0],
    ["durations above an hour", [7.2e6, 7.2e6], 4_227_858.432, 7.2e6],
  ])("returns the median and the maximum of %s", (_, all, median, max) => {
    const made = histogram(...all);
    expect([made.quantile(0.5), made.max]).toEqual([median, max]);
  });
});

describe("HostMetrics", () => {
  it("counts calls, tool errors and errors by code, per tool and server", () => {
    const metrics = new HostMetrics(5);
    for (let ms = 1; ms <= 100; ms++) metrics.record({ server: "files", tool: "read", ms });
    metrics.record({ server: "files", tool: "write", ms: 10, isError: true });
    metrics.record({ server: "files", tool: "write", ms: 0, code: "TOOL_DENIED" });
    metrics.record({ server: "files", tool: "write", ms: 0, code: "TOOL_DENIED" });
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
          latency: { p50: close(49), p90: close(90), p99: close(99), max: 100, sum: 5060 },
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
              latency: { p50: 0, p90: 10, p99: 10, max: 10, sum: 10 },
            },
          ],
        },
      ],
      questions: { asked: 0, answered: 0 },
      durations: metrics.durations.snapshot(),
    } satisfies Metrics);
  });

  it("counts calls and questions from events", () => {
    const metrics = new HostMetrics(0);
    for (const event of sampleEvents()) metrics.onEvent({ seq: 1, at: 1, ...event } as HostEvent);
    expect(metrics.snapshot()).toMatchObject({
      servers: [{ server: "files", calls: 2, toolErrors: 1, errors: { CANCELLED: 1 } }],
      questions: { asked: 2, answered: 1 },
    });
  });

  it("counts tools beyond 2000 together, and known tools separately", () => {
    const metrics = new HostMetrics(0);
    for (let n = 0; n < 2500; n++) metrics.record({ server: `s${n % 2}`, tool: `t${n}`, ms: 1 });
    metrics.record({ server: "s0", tool: "t0", ms: 1 });
    const { servers } = metrics.snapshot();
    const [first] = servers;
    expect(servers.flatMap(({ tools }) => tools)).toHaveLength(2002);
    expect(first!.tools.find(({ tool }) => tool === "t0")).toMatchObject({ calls: 2 });
    expect(first!.tools.at(-1)).toMatchObject({ calls: 250 });
    expect(first!.tools.at(-1)).not.toHaveProperty("tool");
    expect(first).toMatchObject({ calls: 1251 });
  });

  it("counts servers beyond 500 together", () => {
    const metrics = new HostMetrics(0);
    for (let n = 0; n < 600; n++) metrics.record({ server: `s${n}`, tool: "t", ms: 1 });
    const { servers } = metrics.snapshot();
    expect(servers).toHaveLength(501);
    expect(servers.at(-1)).toMatchObject({ calls: 100, tools: [{ calls: 100 }] });
    expect(servers.at(-1)).not.toHaveProperty("server");
  });

  it("counts the calls of unknown tools together", () => {
    const metrics = new HostMetrics(0);
    for (let n = 0; n < 2500; n++) metrics.record({ server: "s", tool: `invented${n}`, ms: 1, code: "TOOL_NOT_FOUND" });
    metrics.record({ server: "s", tool: "real", ms: 1 });
    expect(metrics.snapshot().servers).toMatchObject([
      { calls: 2501, tools: [{ tool: "real", calls: 1 }, { errors: { TOOL_NOT_FOUND: 2500 } }] },
    ]);
  });

  it("counts each restart of a shared server once", async () => {
    const metrics = new HostMetrics(0);
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
      pool.lease({ server: "s", target, startupTimeoutMs: 10_000, requestTimeoutMs: 10_000, onChanged: () => {} });
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
    const metrics = new HostMetrics(0);
    const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "read", "plugboard.server": "files" };
    metrics.durations.record("mcp.client.operation.duration", "key", () => attributes, 1.5);
    metrics.durations.record("mcp.client.operation.duration", "key", () => attributes, 0.03);
    metrics.durations.record("mcp.client.operation.duration", "key", () => attributes, 400);
    metrics.recordRestart("files");
    const labels = 'mcp_method_name="tools/call",gen_ai_tool_name="read",plugboard_server="files"';
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
    const metrics = new HostMetrics(0);
    const attributes = { "gen_ai.tool.name": 'a"} 1\nevil{x="\\' };
    metrics.durations.record("mcp.server.operation.duration", "key", () => attributes, 1);
    const [line] = toPrometheus(metrics.snapshot()).match(/^mcp_server_operation_duration_seconds_count.*$/m)!;
    expect(line).toBe(
      String.raw`mcp_server_operation_duration_seconds_count{gen_ai_tool_name="a\"} 1\nevil{x=\"\\"} 1`,
    );
  });
});

describe("DurationMetrics", () => {
  it("counts sets of attributes beyond 2000 together", () => {
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
  it("records the duration of an operation with its method, its tool and the type of its error", () => {
    const durations = new DurationMetrics();
    let now = 0;
    const telemetry = new Telemetry({ durations, monotonicNow: () => now });
    const operation = { side: "client", method: "tools/call", server: "s", tool: "t" } as const;
    const run = (outcome: Outcome, tool = "t") => {
      const active = telemetry.start({ ...operation, tool });
      now += 250;
      active.end(outcome);
    };
    const failed = (error: HostError): Outcome => ({ type: "failed", error });
    run({ type: "complete", result: { content: [] } });
    run({ type: "complete", result: { content: [], isError: true } });
    run(failed(new HostError("TOOL_EXECUTION_FAILED", { server: "s", tool: "t", code: -32000, message: "no" })));
    run(failed(new HostError("TOOL_NOT_FOUND", { tool: "invented" })), "invented");
    const base = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" };
    const tool = { ...base, "gen_ai.tool.name": "t", "plugboard.server": "s" };
    expect(durations.snapshot()[0]!.points.map(({ attributes, sum }) => ({ sum, ...attributes }))).toEqual([
      { sum: 0.25, ...tool },
      { sum: 0.25, ...tool, "error.type": "tool_error" },
      { sum: 0.25, ...tool, "error.type": "TOOL_EXECUTION_FAILED", "rpc.response.status_code": "-32000" },
      { sum: 0.25, ...base, "plugboard.server": "s", "error.type": "TOOL_NOT_FOUND" },
    ]);
  });
});

function histogram(...all: readonly number[]): Histogram {
  const made = new Histogram();
  for (const ms of all) made.record(ms);
  return made;
}

function sampleEvents(): object[] {
  const caller = { kind: "cli", id: "x" };
  const call = { type: "call.ended", call: "c", caller, server: "files", tool: "read", durationMs: 3 };
  const question = { id: "q", type: "permission", owner: "workspace", server: "files", tool: "read", arguments: {} };
  return [
    { type: "call.started", call: "c", caller, server: "files", tool: "read" },
    { ...call, outcome: "complete", isError: true },
    { ...call, outcome: "failed", code: "CANCELLED" },
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
