/** Tests a connection whose credentials change, expire, or lack a scope. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { HostError } from "@plugboard/contracts";
import type { Era, JsonObject } from "@plugboard/contracts";
import type { CallContext, Connection, Op, Target } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { ann, expectFailure, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { CHALLENGE, ScriptedCredentials, rejectUnauthorized } from "../helpers/scripted-credentials.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";
import type { HttpMethods, McpHttpRequest } from "../helpers/restartable-http.ts";

const FAST = { firstRetryMs: 20, maxRetryMs: 300, healthRetryMs: 20 };
const ctx: CallContext = { caller: ann, timeoutMs: 10_000, maxMs: 60_000, elicitation: false };
const echo: Op = { method: "tools/call", params: { name: "echo", arguments: {} } };
const failed = new HostError("LOGIN_FAILED", { server: "tested", reason: "the refresh token is spent" });

function until(connection: Connection, phase: string): Promise<void> {
  return vi.waitFor(() => expect(connection.state.phase).toBe(phase), { timeout: 15_000, interval: 2 });
}

/** A server that accepts only requests with the current token. `methods` overrides its answers. */
async function guarded(era: Era, methods: HttpMethods = {}) {
  const good = { token: "good" };
  const meta = { resultType: "complete" };
  const results: { [method: string]: JsonObject } = {
    "server/discover": { ...meta, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
    ping: {},
    "tools/list": { ...meta, tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { ...meta, content: [{ type: "text", text: "ok" }] },
  };
  const refuse = { status: 401, headers: { "www-authenticate": CHALLENGE } };
  const table = Object.entries(results).map(([method, result]) => {
    const answer = (request: McpHttpRequest, response: ServerResponse) => {
      if (request.headers.authorization !== `Bearer ${good.token}`) return refuse;
      if (era === "legacy" && method === "server/discover") return { status: 400 };
      return methods[method]?.(request, response) ?? result;
    };
    return [method, answer] as const;
  });
  const server = await startRestartableHttp(Object.fromEntries(table), { era });
  return { ...server, good };
}

const refusal = { status: 401, challenge: CHALLENGE };

describe("Connection credentials", () => {
  describe("handshake with rejected credentials", () => {
    it.each<[Era, string[]]>([
      ["modern", ["server/discover", "server/discover", "tools/list"]],
      ["legacy", ["server/discover", "server/discover", "initialize", "notifications/initialized"]],
    ])("continues with new credentials (%s server)", async (era, seen) => {
      const server = await guarded(era);
      const credentials = new ScriptedCredentials("old", "good");
      const { connection } = makeConnection(server, { overrides: { credentials } });
      const session = await connection.ready();
      expect(session.era).toBe(era);
      expect(server.methods.slice(0, seen.length)).toEqual(seen);
      expect(credentials.refusals).toEqual([{ refusal, sent: { authorization: "Bearer old" } }]);
    });

    it.each<[Era | undefined, string]>([
      [undefined, "server/discover"],
      ["modern", "server/discover"],
      ["legacy", "initialize"],
    ])(
      "fails after one request if there are no new credentials, and after two if the new ones are rejected (remembered era: %s)",
      async (remembered, method) => {
        const server = await guarded("legacy");
        const known = remembered && { knownEra: remembered };
        const one = makeConnection(server, { ...known, overrides: { credentials: new ScriptedCredentials("old") } });
        await expect(one.connection.ready()).rejects.toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
        expect(one.connection.state.phase).toBe("auth_required");
        expect(server.methods.splice(0)).toEqual([method]);
        const two = makeConnection(server, {
          ...known,
          overrides: { credentials: new ScriptedCredentials("old", "older", "oldest") },
        });
        await expect(two.connection.ready()).rejects.toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
        expect(server.methods).toEqual([method, method]);
        expect(one.knownEra()).toBe(remembered);
      },
    );

    it.each<[string, "headers" | "onUnauthorized", seen: string[]]>([
      ["requesting new credentials", "onUnauthorized", ["server/discover"]],
      ["requesting the first credentials", "headers", []],
    ])("fails if %s fails, without trying the other era", async (_, which, seen) => {
      const server = await guarded("legacy");
      const credentials = new ScriptedCredentials("old", "good");
      const asked = vi.fn(() => Promise.reject(failed));
      credentials[which] = asked;
      const { connection } = makeConnection(server, { overrides: { credentials } });
      await expect(connection.ready()).rejects.toBe(failed);
      expect(connection.state).toMatchObject({ phase: "waiting", error: { code: "LOGIN_FAILED" } });
      expect(server.methods).toEqual(seen);
      expect(asked).toHaveBeenCalledTimes(1);
    });
  });

  describe.each<Era>(["modern", "legacy"])("call with rejected credentials (%s server)", (era) => {
    it("is sent once more with new credentials", async () => {
      const server = await guarded(era);
      const credentials = new ScriptedCredentials("good", "better");
      const { connection } = makeConnection(server, { overrides: { credentials } });
      await connection.ready();
      server.good.token = "better";
      expect(expectText(await connection.request(echo, ctx))).toBe("ok");
      expect(server.count("tools/call echo")).toBe(2);
      expect(connection.state).toMatchObject({ phase: "ready", attempt: 1 });
    });

    it("fails together with its connection if there are no new credentials, and works after a retry with new ones", async () => {
      const server = await guarded(era);
      const credentials = new ScriptedCredentials("good");
      const { connection } = makeConnection(server, { limits: FAST, overrides: { credentials } });
      await connection.ready();
      server.good.token = "better";
      expect(expectFailure(await connection.request(echo, ctx))).toMatchObject({
        code: "AUTH_REQUIRED",
        cause: refusal,
      });
      await until(connection, "auth_required");
      const seen = server.methods.length;
      expect(expectFailure(await connection.request(echo, ctx)).code).toBe("AUTH_REQUIRED");
      expect(server.methods).toHaveLength(seen);
      credentials.add("better");
      await connection.retry();
      expect(connection.state.phase).toBe("ready");
      expect(expectText(await connection.request(echo, ctx))).toBe("ok");
    });

    it("does not affect the connection if only a scope is missing", async () => {
      const alive = era === "modern" ? "server/discover" : "ping";
      const challenge = 'Bearer error="insufficient_scope", scope="write"';
      let forbidden = true;
      const call = () => (forbidden ? { status: 403, headers: { "www-authenticate": challenge } } : { content: [] });
      const server = await guarded(era, { "tools/call": call });
      const credentials = new ScriptedCredentials("good");
      const { connection } = makeConnection(server, { limits: FAST, overrides: { credentials } });
      await connection.ready();
      const before = server.count(alive);
      const said = { status: 403, challenge };
      expect(expectFailure(await connection.request(echo, ctx))).toMatchObject({ code: "AUTH_REQUIRED", cause: said });
      await vi.waitFor(() => expect(server.count(alive)).toBe(before + 1), { timeout: 15_000 });
      expect(credentials.refusals.map((one) => one.refusal)).toEqual([said]);
      forbidden = false;
      expect(await connection.request(echo, ctx)).toMatchObject({ type: "complete" });
      expect(connection.state).toMatchObject({ phase: "ready", attempt: 1 });
    });
  });

  it("stops a subscription whose credentials are rejected, and does not retry it", async () => {
    const capabilities = { tools: { listChanged: true } };
    const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities };
    const refuse = { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope"' } };
    const server = await startRestartableHttp(
      { "server/discover": () => discovered, "subscriptions/listen": () => refuse },
      { era: "modern" },
    );
    const credentials = new ScriptedCredentials("a", "b", "c");
    const clock = new ManualClock();
    const { connection } = makeConnection(server, { overrides: { credentials, clock } });
    await connection.ready();
    await vi.waitFor(() => expect(server.count("subscriptions/listen")).toBe(2), { timeout: 15_000 });
    for (let hours = 1; hours <= 3; hours++) {
      await connection.session?.ping(AbortSignal.timeout(15_000));
      clock.advance(3_600_000);
    }
    expect(server.count("subscriptions/listen")).toBe(2);
  });

  const RESULTS: { readonly [method: string]: JsonObject } = {
    initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "ok" }] },
  };

  /** An HTTP+SSE server and a WebSocket server that require the token. */
  async function guardedOthers() {
    const seen: string[] = [];
    const paths = new Set<string>();
    const sockets = new WebSocketServer({ noServer: true });
    let stream: ServerResponse | undefined;
    const reply = (body: string) => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      const answer = RESULTS[method] ? { result: RESULTS[method] } : { error: { code: -32601, message: "no" } };
      return id === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    };
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.headers.authorization}`);
      paths.add(request.url!);
      if (rejectUnauthorized(request.headers, response, "good")) return;
      if (request.method === "GET") {
        stream = response.writeHead(200, { "content-type": "text/event-stream" });
        return void stream.write("event: endpoint\ndata: /messages\n\n");
      }
      if (request.url !== "/messages") return void response.writeHead(404).end();
      void readAll(request).then((body) => {
        response.writeHead(202).end();
        const answer = reply(body);
        if (answer) stream?.write(`data: ${answer}\n\n`);
      });
    });
    server.on("upgrade", (request, socket, head) => {
      seen.push(`${request.method} ${request.headers.authorization}`);
      if (request.headers.authorization !== "Bearer good")
        return socket.end("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n");
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.on("message", (data: Buffer) => {
          const answer = reply(data.toString());
          if (answer) client.send(answer);
        });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, seen, paths };
  }

  describe("credentials", () => {
    it.each<[string, (url: string) => Target, seen: string[]]>([
      ["HTTP+SSE", (url) => ({ transport: "sse", url, headers: {} }), ["GET Bearer old", "GET Bearer good"]],
      [
        "HTTP+SSE as the fallback",
        (url) => ({ transport: "http", url, headers: {} }),
        ["POST Bearer old", "POST Bearer good", "POST Bearer good", "GET Bearer good"],
      ],
      [
        "a WebSocket",
        (url) => ({ transport: "websocket", url: url.replace("http:", "ws:"), headers: {} }),
        ["GET Bearer old", "GET Bearer good"],
      ],
    ])("are sent over %s", async (_, target, seen) => {
      const server = await guardedOthers();
      const credentials = new ScriptedCredentials("old", "good");
      const { connection } = makeConnection(server, { overrides: { target: target(server.url), credentials } });
      expect(expectText(await connection.request(echo, ctx))).toBe("ok");
      expect(server.seen.slice(0, seen.length)).toEqual(seen);
      expect(credentials.refusals).toHaveLength(1);
    });

    it("are sent to a server behind a proxy", async () => {
      const server = await guarded("modern");
      const credentials = new ScriptedCredentials("old", "good");
      const target: Target = { transport: "claudeai-proxy", url: server.url, id: "s1", headers: {} };
      const { connection } = makeConnection(server, { overrides: { target, credentials } });
      expect(expectText(await connection.request(echo, ctx))).toBe("ok");
      expect(new Set(credentials.requests.map(({ url }) => url))).toEqual(new Set([`${server.url}/s1`]));
    });
  });
});
