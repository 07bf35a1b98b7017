/** Tests when a gateway lists, counts and closes its clients over HTTP and byte streams. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { duplexPair } from "node:stream";
import type { HostError, JsonObject } from "@plugboard/contracts";
import { Gateway } from "@plugboard/gateway";
import type { GatewayOptions } from "@plugboard/gateway";
import type { Telemetry } from "@plugboard/host/tracing";
import { systemClock } from "@plugboard/contracts";
import { ArrivingBodies, HttpSessions } from "@plugboard/mcp/server-transport";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../contracts/test/helpers/manual-clock.ts";
import { emptyWorkspace, noOutputs } from "./helpers/empty-workspace.ts";

const never = new Promise<void>(() => {});
const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tested", version: "1" } },
};
const KEY = "io.modelcontextprotocol/";
const list = {
  ...{ jsonrpc: "2.0", id: 1, method: "tools/list" },
  params: { _meta: { [`${KEY}protocolVersion`]: "2026-07-28", [`${KEY}clientCapabilities`]: {} } },
};

function openGateway(options: Partial<GatewayOptions> = {}, started?: Promise<void>) {
  const clock = new ManualClock();
  const recordSession = vi.fn<Telemetry["recordSession"]>();
  const start = () => ({ trace: undefined, end: () => {} });
  const telemetry = { recordSession, start } as unknown as Telemetry;
  const identity = { name: "tested", version: "0" };
  const gateway = new Gateway({
    ...{ workspace: emptyWorkspace(started), outputs: noOutputs, identity, clock, telemetry },
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, clock, recordSession };
}

/** Serves the gateway to the client `ann`. Returns a function that sends requests to it. */
async function serveHttp(gateway: Gateway) {
  const ann = { id: "ann-1", name: "ann", mayApprove: true };
  const server = createServer((request, response) => {
    gateway.handle(request, response, ann).catch((thrown: HostError) => response.writeHead(429).end(thrown.code));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return (method: string, message?: JsonObject, session?: string) =>
    fetch(url, {
      method,
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
        ...(message === list && { "mcp-method": list.method, "mcp-protocol-version": "2026-07-28" }),
      },
      ...(message && { body: JSON.stringify(message) }),
    });
}

async function openSession(send: Awaited<ReturnType<typeof serveHttp>>): Promise<string> {
  const response = await send("POST", initialize);
  await response.text();
  return response.headers.get("mcp-session-id")!;
}

describe("a client on a byte stream", () => {
  it("is listed until its stream ends, and its session is recorded", async () => {
    const { gateway, clock, recordSession } = openGateway();
    const [client, served] = duplexPair();
    const ended = gateway.serve(served, { kind: "front", id: "a" });
    expect(gateway.fronts).toMatchObject([{ transport: "stdio" }]);
    expect(gateway.busy).toBe(false);
    clock.advance(700);
    client.end();
    await ended;
    expect(gateway.fronts).toEqual([]);
    expect(recordSession.mock.calls).toEqual([[{ side: "server", transport: "pipe" }, 700]]);
  });

  it("makes the gateway busy while it waits for a result, and gets an error when the gateway closes", async () => {
    const onClientsChanged = vi.fn();
    const { gateway } = openGateway({ onClientsChanged }, never);
    const [client, served] = duplexPair();
    const lines = createInterface({ input: client })[Symbol.asyncIterator]();
    const ended = gateway.serve(served, { kind: "front", id: "a" });
    client.write(`${JSON.stringify(list)}\n`);
    await vi.waitFor(() => expect(gateway.busy).toBe(true));
    gateway.close();
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ id: 1, error: { code: -32603 } });
    client.end();
    await ended;
    expect(gateway.busy).toBe(false);
    expect(gateway.fronts).toEqual([]);
    expect(onClientsChanged).toHaveBeenCalled();
  });
});

describe("a legacy HTTP session", () => {
  it("is counted and listed until the client ends it, and then recorded and reported", async () => {
    const onSessionEnded = vi.fn<NonNullable<GatewayOptions["onSessionEnded"]>>();
    const { gateway, clock, recordSession } = openGateway({ onSessionEnded });
    const send = await serveHttp(gateway);
    const session = await openSession(send);
    expect(gateway.httpSessions).toBe(1);
    expect(gateway.fronts).toMatchObject([{ transport: "http", token: "ann", name: "tested" }]);
    clock.advance(700);
    expect((await send("DELETE", undefined, session)).ok).toBe(true);
    expect(gateway.httpSessions).toBe(0);
    expect(gateway.fronts).toEqual([]);
    expect(onSessionEnded.mock.calls).toEqual([[{ kind: "front", id: expect.any(String) as string }]]);
    const recorded = { side: "server", revision: expect.anything() as unknown, transport: "tcp" };
    expect(recordSession.mock.calls).toEqual([[recorded, 700]]);
  });

  it("ends together with all clients of its token when the token is revoked", async () => {
    const revoked = new Set<(principal: string) => void>();
    const onRevoked = (listener: (principal: string) => void) => {
      revoked.add(listener);
      return () => revoked.delete(listener);
    };
    const { gateway } = openGateway({ onRevoked });
    const send = await serveHttp(gateway);
    await openSession(send);
    expect((await send("POST", list)).status).toBe(200);
    revoked.forEach((listener) => listener("bob-1"));
    expect(gateway.httpSessions).toBe(1);
    expect(gateway.fronts).toMatchObject([{ era: "legacy" }, { era: "modern" }]);
    revoked.forEach((listener) => listener("ann-1"));
    expect(gateway.httpSessions).toBe(0);
    expect(gateway.fronts).toEqual([]);
    gateway.close();
    expect(revoked.size).toBe(0);
  });

  it("ends when the gateway closes", async () => {
    const { gateway } = openGateway();
    const send = await serveHttp(gateway);
    const session = await openSession(send);
    gateway.close();
    expect(gateway.httpSessions).toBe(0);
    expect((await send("POST", { jsonrpc: "2.0", id: 2, method: "ping" }, session)).status).toBe(404);
  });
});

it.each<[string, Partial<GatewayOptions>, number]>([
  ["the length of a message", { maxMessageBytes: 10 }, 413],
  ["the bytes that arrive", { arrivingBodies: new ArrivingBodies({ limit: 10 }) }, 429],
  ["sessions", { sessions: new HttpSessions(systemClock, { perPrincipal: 0, total: 1, idleMs: 1000 }) }, 429],
])("a gateway rejects an HTTP request beyond the given limit of %s", async (_, limits, status) => {
  const { gateway } = openGateway(limits);
  const send = await serveHttp(gateway);
  expect((await send("POST", initialize)).status).toBe(status);
});
