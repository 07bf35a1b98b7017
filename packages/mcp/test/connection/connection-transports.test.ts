/** Tests the transports of a connection: the configured ones, and the fallback to HTTP+SSE. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import type { JsonObject } from "@plugboard/contracts";
import { serveInProcess } from "@plugboard/mcp";
import type { Connection, Outcome } from "@plugboard/mcp";
import { legacySdkServer } from "@plugboard/testkit/sdk-server-objects";
import { startEverythingSse } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { ann, call, makeConnection, expectText } from "../helpers/connect.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";

const headers = { authorization: "Bearer t" };

const RESULTS: { readonly [method: string]: JsonObject } = {
  initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "hello" }] },
};

/** An HTTP+SSE server, which rejects every POST to its URL. */
async function startSse(refusal: number) {
  const seen: string[] = [];
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write("event: endpoint\ndata: /messages\n\n");
    }
    if (request.url !== "/messages") return void response.writeHead(refusal).end();
    void readAll(request).then((body) => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      response.writeHead(202).end();
      const reply = { jsonrpc: "2.0", id, result: RESULTS[method] };
      if (id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/sse`, seen, cut: () => stream?.destroy() };
}

describe("Connection transports", () => {
  describe("http server that supports only HTTP+SSE", { meta: { covers: ["R3.17"] } }, () => {
    it("is connected over HTTP+SSE (server-everything)", async () => {
      const server = await startEverythingSse();
      onTestFinished(() => server.close());
      const { connection } = makeConnection({ url: server.url });
      const session = await connection.ready();
      expect(expectText(await call(session, "echo", { message: "hi" }))).toContain("hi");
    });

    it.each([400, 404, 405])("is detected by its status %i, and only before the first connection", async (status) => {
      const server = await startSse(status);
      const { connection } = makeConnection({ url: server.url }, { limits: { firstRetryMs: 10 } });
      const session = await connection.ready();
      expect(expectText(await call(session, "echo"))).toBe("hello");
      expect(server.seen).toContain("POST /sse");
      server.seen.length = 0;
      server.cut();
      await vi.waitFor(() => expect(connection.state).toMatchObject({ phase: "ready", restarts: 1 }), {
        timeout: 10_000,
      });
      expect(expectText(await call(connection.session!, "echo"))).toBe("hello");
      expect(server.seen.filter((request) => request !== "POST /messages")).toEqual(["GET /sse"]);
    });

    it("is not assumed after another error, and the connection fails if the server has neither transport", async () => {
      const seen: string[] = [];
      let status = 403;
      const server = createServer((request, response) => {
        seen.push(request.method!);
        response.writeHead(status).end();
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const { connection } = makeConnection({ url });
      await expect(connection.ready()).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status } });
      expect(seen).not.toContain("GET");
      status = 404;
      await expect(connection.retry()).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status } });
      expect(seen).toContain("GET");
      expect(connection.state.phase).toBe("error");
    });
  });

  it("uses HTTP+SSE at once if that is configured", async () => {
    const server = await startSse(404);
    const { connection } = makeConnection(server, {
      overrides: { target: { transport: "sse", url: server.url, headers } },
    });
    const session = await connection.ready();
    expect(session).toMatchObject({ era: "legacy", version: "2024-11-05" });
    expect(expectText(await call(session, "echo"))).toBe("hello");
    expect(server.seen).not.toContain("POST /sse");
  });

  it("reaches a server behind a proxy by its id", { meta: { covers: ["R1.7"] } }, async () => {
    const server = await startRestartableHttp();
    const url = server.url.replace("/mcp", "/v1/{id}/mcp");
    const { connection } = makeConnection(server, {
      overrides: { target: { transport: "claudeai-proxy", url, id: "srv 1", headers } },
    });
    await connection.ready();
    expect(new Set(server.paths)).toEqual(new Set(["/v1/srv%201/mcp"]));
  });

  it(
    "uses a WebSocket if that is configured, and reconnects when the WebSocket is cut",
    { meta: { covers: ["R3.18", "R3.21"] } },
    async () => {
      const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
      await once(server, "listening");
      onTestFinished(() => server.close());
      const authorized: (string | undefined)[] = [];
      server.on("connection", (client, request) => {
        authorized.push(request.headers.authorization);
        client.on("message", (data: Buffer) => {
          const { id, method } = JSON.parse(data.toString()) as { id?: number; method: string };
          const answer = RESULTS[method] ? { result: RESULTS[method] } : { error: { code: -32601, message: "no" } };
          if (id !== undefined) client.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
        });
      });
      const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { connection } = makeConnection(
        { url },
        { limits: { firstRetryMs: 10 }, overrides: { target: { transport: "websocket", url, headers } } },
      );
      expect(expectText(await echo(connection))).toBe("hello");
      for (const client of server.clients) client.terminate();
      await vi.waitFor(() => expect(connection.state).toMatchObject({ phase: "ready", restarts: 1 }), {
        timeout: 10_000,
      });
      expect(expectText(await echo(connection))).toBe("hello");
      expect(authorized).toEqual(["Bearer t", "Bearer t"]);
    },
  );

  it(
    "uses a server in the same process, and reconnects when that is lost",
    { meta: { covers: ["R1.5"] } },
    async () => {
      const made: ReturnType<typeof legacySdkServer>[] = [];
      const connect = () => {
        made.push(legacySdkServer());
        return serveInProcess(made.at(-1)!.server);
      };
      const { connection } = makeConnection(
        { url: "" },
        { limits: { firstRetryMs: 5 }, overrides: { target: { transport: "in-process", id: "mine", connect } } },
      );
      expect(expectText(await echo(connection, { text: "hello" }))).toBe("hello");
      await made[0]!.server.close();
      await vi.waitFor(() => expect(connection.state).toMatchObject({ phase: "ready", restarts: 1 }), {
        timeout: 10_000,
      });
      expect(expectText(await echo(connection, { text: "again" }))).toBe("again");
      expect(made.map(({ echoArguments }) => echoArguments)).toEqual([[{ text: "hello" }], [{ text: "again" }]]);
    },
  );

  function echo(connection: Connection, args: JsonObject = {}): Promise<Outcome> {
    const ctx = { caller: ann, timeoutMs: 5000, maxMs: 5000, elicitation: false };
    return connection.request({ method: "tools/call", params: { name: "echo", arguments: args } }, ctx);
  }
});
