/** Tests the telemetry of a running host against a collector: spans, metrics, and what happens without one. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startCollector, toObject } from "../helpers/otlp-collector.ts";
import { startDaemonWith } from "../helpers/running-host.ts";

const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

async function setUp(more: { readonly [name: string]: string } = {}) {
  const collector = await startCollector();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: "1", ...more };
  const host = await startDaemonWith(variables, { s: scriptedLegacy() });
  onTestFinished(host.close);
  return { collector, host, front: frontWith(host, host.token) };
}

describe("a running host with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("exports a SERVER span of a client's request and a CLIENT span of the server's as its child", async () => {
    const { collector, front } = await setUp({ OTEL_SERVICE_NAME: "desk", OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b" });
    const session = await front.open();
    const traceparent = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
    expect(
      await (await front.call("echo", { text: "secret-argument" }, { session, meta: { traceparent } })).text(),
    ).toContain("secret-argument");
    await collector.waitForSpans(3);
    const find = (kind: number) =>
      collector.spans.find((span) => span.kind === kind && span.name.startsWith("tools/call"))!;
    const [server, client] = [find(2), find(3)];
    expect(server).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId, status: {} });
    expect(toObject(server.attributes)).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": expect.stringMatching(/__echo$/) as string,
      "mcp.protocol.version": "2025-11-25",
      "mcp.session.id": session,
      "network.transport": "tcp",
    });
    expect(client).toMatchObject({ name: "tools/call echo", traceId: PARENT.traceId, parentSpanId: server.spanId });
    expect(toObject(client.attributes)).toMatchObject({ "gen_ai.tool.name": "echo", "plugboard.server": "s" });
    expect(BigInt(client.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(client.startTimeUnixNano));
    expect(collector.problems).toEqual([]);
    expect(collector.resources[0]).toEqual({ "service.name": "desk" });
    expect(collector.requests[0]?.headers).toMatchObject({ "x-key": "a b", "content-type": "application/json" });
    expect(JSON.stringify(collector.spans)).not.toContain("secret-argument");
  });

  it("marks the spans of failed calls with the type of the error", async () => {
    const { collector, front } = await setUp();
    const session = await front.open();
    await (await front.call("progress", { steps: "many" }, { session })).text();
    await collector.waitForSpans(3);
    const ends = collector.spans.map(({ kind, name, status, attributes }) => ({
      span: `${kind} ${name}`,
      ...status,
      type: toObject(attributes)["error.type"],
    }));
    expect(ends).toHaveLength(3);
    expect(ends).toEqual(
      expect.arrayContaining([
        { span: "2 tools/list", type: undefined },
        { span: "3 tools/call progress", code: 2, type: "INVALID_ARGUMENTS" },
        { span: "2 tools/call s__progress", code: 2, type: "tool_error" },
      ]),
    );
  });

  it("starts a new trace for a request without a trace, and does not export a trace that the client does not record", async () => {
    const { collector, front } = await setUp();
    const session = await front.open();
    const meta = { traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-00` };
    await (await front.call("echo", { text: "a" }, { session, meta })).text();
    await (await front.call("echo", { text: "b" }, { session })).text();
    await collector.waitForSpans(2);
    const traces = new Set(collector.spans.map(({ traceId }) => traceId));
    expect(traces).not.toContain(PARENT.traceId);
  });

  it("exports the durations of requests and sessions when it stops", async () => {
    const { collector, front, host } = await setUp({ OTEL_TRACES_EXPORTER: "none" });
    const session = await front.open();
    await (await front.call("echo", { text: "a" }, { session })).text();
    await front.send(undefined, { session, method: "DELETE" });
    await host.daemon.stop();
    expect(collector.problems).toEqual([]);
    expect(collector.requests.map(({ path }) => path)).toEqual(["/v1/metrics"]);
    const [point] = collector
      .points("mcp.client.operation.duration")
      .filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
    expect(point).toMatchObject({ count: "1", attributes: { "gen_ai.tool.name": "echo", "plugboard.server": "s" } });
    expect(point!.bucketCounts).toHaveLength(point!.explicitBounds.length + 1);
    const methods = collector
      .points("mcp.server.operation.duration")
      .map(({ attributes }) => attributes["mcp.method.name"]);
    expect(new Set(methods)).toEqual(new Set(["tools/call", "tools/list"]));
    expect(collector.points("mcp.server.session.duration")).toMatchObject([
      { count: "1", attributes: { "mcp.protocol.version": "2025-11-25" } },
    ]);
    expect(collector.points("mcp.client.session.duration")).toMatchObject([
      { count: "1", attributes: { "plugboard.server": "s" } },
    ]);
  });
});

describe("a running host whose telemetry can't be exported", () => {
  it("reports the first failure as an event, and calls continue", async () => {
    const host = await startDaemonWith(
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_BSP_SCHEDULE_DELAY: "1" },
      { s: scriptedLegacy() },
    );
    onTestFinished(host.close);
    const failed = (async () => {
      for await (const event of host.daemon.events(0)) if (event.type === "telemetry.failed") return event.reason;
      return undefined;
    })();
    const front = frontWith(host, host.token);
    const session = await front.open();
    expect(await (await front.call("echo", { text: "a" }, { session })).text()).toContain('"a"');
    expect(await failed).toContain("http://127.0.0.1:9");
    expect(await (await front.call("echo", { text: "b" }, { session })).text()).toContain('"b"');
  });
});
