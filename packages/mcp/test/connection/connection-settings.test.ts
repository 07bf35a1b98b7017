/** Tests settings that change while a connection is open. */
import { startScriptedHttp } from "@plugboard/testkit/scripted-http";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { ann, makeConnection } from "../helpers/connect.ts";

const SETTINGS = { startupTimeoutMs: 10_000, requestTimeoutMs: 10_000 };

describe("Connection.updateSettings", { meta: { covers: ["F58"] } }, () => {
  it("stops an unused server that would have run forever with the old setting", async () => {
    const clock = new ManualClock();
    const { connection } = makeConnection(scriptedLegacy(), { overrides: { clock, healthIntervalMs: 0 } });
    await connection.ready();
    connection.updateSettings({ ...SETTINGS, healthIntervalMs: 0, idleStopMs: 1000 });
    clock.advance(999);
    expect(connection.state.phase).toBe("ready");
    clock.advance(1);
    expect(connection.state.phase).toBe("idle");
  });

  it("keeps an unused server running that would have been stopped with the old setting", async () => {
    const clock = new ManualClock();
    const overrides = { clock, healthIntervalMs: 0, idleStopMs: 1000 };
    const { connection } = makeConnection(scriptedLegacy(), { overrides });
    await connection.ready();
    connection.updateSettings({ ...SETTINGS, healthIntervalMs: 0, idleStopMs: 0 });
    clock.advance(5000);
    expect(connection.state.phase).toBe("ready");
  });

  it("does not restart the idle time if another setting changes", async () => {
    const clock = new ManualClock();
    const overrides = { clock, healthIntervalMs: 0, idleStopMs: 1000 };
    const { connection } = makeConnection(scriptedLegacy(), { overrides });
    await connection.ready();
    clock.advance(900);
    connection.updateSettings({ ...SETTINGS, healthIntervalMs: 0, idleStopMs: 1000, requestTimeoutMs: 5 });
    clock.advance(100);
    expect(connection.state.phase).toBe("idle");
  });

  it("stops sending rejected requests again if `retry` is set to never", async () => {
    const server = await startOverloadedServer();
    const ctx = { caller: ann, timeoutMs: 10_000, maxMs: 10_000, elicitation: false };
    const { connection } = makeConnection(server, { knownEra: "legacy", limits: { firstRetryMs: 1, maxRetryMs: 1 } });
    await connection.ready();
    const readAndCount = async () => {
      await connection.request({ method: "resources/read", params: { uri: "a:b" } }, ctx);
      return server.requests.filter(({ body }) => body.includes("resources/read")).length;
    };
    connection.updateSettings({ ...SETTINGS, retry: "never" });
    expect(await readAndCount()).toBe(1);
    connection.updateSettings({ ...SETTINGS, retry: "safe" });
    expect(await readAndCount()).toBeGreaterThan(2);
  });
});

/** Starts a legacy server that answers 503 to each read of a resource. */
async function startOverloadedServer() {
  const capabilities = { tools: {}, resources: {} };
  const initialized = { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "s", version: "0" } };
  const server = await startScriptedHttp(({ method, body }, response) => {
    if (method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method: string };
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "resources/read") return void response.writeHead(503).end();
    const result = message.method === "initialize" ? initialized : { tools: [] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  onTestFinished(() => server.close());
  return server;
}
