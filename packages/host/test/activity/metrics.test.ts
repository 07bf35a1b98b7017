/** Tests histograms against exact quantiles, the limits of the metrics, and the Prometheus format. */
import { Histogram, HostMetrics } from "#activity/metrics.js";
import { toPrometheus } from "#activity/prometheus.js";
import { ConnectionPool } from "#pool/connection-pool.js";
import type { HostEvent, Metrics } from "@plugboard/contracts";
import { systemClock } from "@plugboard/mcp";
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
  it("writes one family per metric, with durations in seconds", () => {
    const metrics = new HostMetrics(0);
    metrics.record({ server: "files", tool: "read", ms: 1500 });
    metrics.record({ server: "files", tool: "read", ms: 500, isError: true });
    metrics.record({ server: "files", tool: "read", ms: 0, code: "CANCELLED" });
    metrics.recordRestart("files");
    expect(toPrometheus(metrics.snapshot())).toBe(`# HELP plugboard_calls_total Calls that ended.
# TYPE plugboard_calls_total counter
plugboard_calls_total{server="files",tool="read",outcome="complete"} 1
plugboard_calls_total{server="files",tool="read",outcome="tool_error"} 1
plugboard_calls_total{server="files",tool="read",outcome="failed"} 1
# HELP plugboard_call_errors_total Calls that failed, by error code.
# TYPE plugboard_call_errors_total counter
plugboard_call_errors_total{server="files",tool="read",code="CANCELLED"} 1
# HELP plugboard_call_duration_seconds Duration of calls.
# TYPE plugboard_call_duration_seconds summary
plugboard_call_duration_seconds{server="files",tool="read",quantile="0.5"} 0.499712
plugboard_call_duration_seconds{server="files",tool="read",quantile="0.9"} 1.5
plugboard_call_duration_seconds{server="files",tool="read",quantile="0.99"} 1.5
plugboard_call_duration_seconds_sum{server="files",tool="read"} 2
plugboard_call_duration_seconds_count{server="files",tool="read"} 3
# HELP plugboard_server_restarts_total Automatic restarts of servers.
# TYPE plugboard_server_restarts_total counter
plugboard_server_restarts_total{server="files"} 1
# HELP plugboard_questions_asked_total Questions asked.
# TYPE plugboard_questions_asked_total counter
plugboard_questions_asked_total 0
# HELP plugboard_questions_answered_total Questions answered by a person.
# TYPE plugboard_questions_answered_total counter
plugboard_questions_answered_total 0
`);
  });

  it("escapes names in labels", () => {
    const metrics = new HostMetrics(0);
    metrics.record({ server: "s", tool: 'a"} 1\nevil{x="\\', ms: 1 });
    const [line] = toPrometheus(metrics.snapshot()).match(/^plugboard_calls_total.*complete.*$/m)!;
    expect(line).toBe(String.raw`plugboard_calls_total{server="s",tool="a\"} 1\nevil{x=\"\\",outcome="complete"} 1`);
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
