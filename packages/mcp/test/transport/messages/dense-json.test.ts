/** Tests messages that consist mostly of brackets or keys, from servers and clients, over every transport. */
import { once } from "node:events";
import { createServer } from "node:http";
import { HostError, systemClock } from "@plugboard/contracts";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text as collect } from "node:stream/consumers";
import { SseTransport } from "#transport/sse/sse-transport.js";
import { openWebSocket } from "#transport/websocket/websocket-transport.js";
import { HttpFront, serveStdioFront } from "@plugboard/mcp/server-transport";
import type { McpRequestHandler, ServerCapabilities } from "@plugboard/mcp";
import { startFixture } from "@plugboard/testkit/fixture-process";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { eventually, recordTransport, openHttp, request, startTestHttp } from "../../helpers/open-http.ts";

const MIB = 1024 * 1024;

interface Measured {
  readonly codes: string[];
  /** How long parsing one such message takes on this machine. */
  readonly parseMs: number;
  readonly slowestMs: number;
  readonly calls: number;
  readonly grown: number;
}

const BODY = `
  const body = (kind, size) => {
    if (kind === "brackets") return "[" + "[],".repeat(size / 3) + "0]";
    const keys = [];
    for (let at = 0; keys.length < size / 14; at++) keys.push('"k' + (1000000 + at) + '":0');
    return "{" + keys.join(",") + "}";
  };
`;

/**
 * Runs two servers on one host. One answers with dense messages while calls of the other are timed. Uses a separate
 * process, so that only the memory and the pauses of the host are measured.
 */
const program = (kind: string) => `
  import { systemClock } from "@plugboard/contracts";
    import { Connection } from "@plugboard/mcp";
    import { Processes } from "@plugboard/mcp/process";
  ${BODY}
  const script = ${JSON.stringify(`${BODY}
    const lines = require("node:readline").createInterface({ input: process.stdin });
    const say = (id, result) => process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}\\n');
    lines.on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      if (method === "initialize") say(id, '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}');
      else if (method === "tools/list") say(id, '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}');
      else if (params.arguments.kind === undefined) say(id, '{"content":[]}');
      else say(id, '{"content":[],"structuredContent":{"a":' + body(params.arguments.kind, 15 * ${MIB}) + '}}');
    });`)};
  const processes = new Processes(systemClock);
  const [dense_, other] = ["dense", "other"].map((server) => new Connection({
    server, processes, clock: systemClock, startupTimeoutMs: 60000, requestTimeoutMs: 60000,
    target: { transport: "stdio", command: process.execPath, args: ["-e", script], cwd: process.cwd(), env: {} },
    identity: { name: "host", version: "0" }, eraStore: { get: () => "legacy", set() {} },
    onUnattributedRequest: async () => ({ action: "decline" }), onChanged() {},
  }));
  const call = (connection, args) => connection.request(
    { method: "tools/call", params: { name: "t", arguments: args } },
    { caller: { kind: "program", id: "host" }, timeoutMs: 60000, maxMs: 60000, elicitation: false },
  );
  for (let at = 0; at < 50; at++) { await call(other, {}); await call(dense_, {}); }
  const before = process.resourceUsage().maxRSS * 1024;
  const codes = [];
  let done = false;
  const flood = (async () => {
    for (let at = 0; at < 2; at++) codes.push((await call(dense_, { kind: "${kind}" })).error?.code);
    done = true;
  })();
  let slowestMs = 0;
  let calls = 0;
  while (!done) {
    const began = performance.now();
    await call(other, {});
    slowestMs = Math.max(slowestMs, performance.now() - began);
    calls += 1;
  }
  await flood;
  const grown = process.resourceUsage().maxRSS * 1024 - before;
  const text = body("${kind}", 15 * ${MIB});
  const began = performance.now();
  JSON.parse(text);
  const parseMs = performance.now() - began;
  console.log(JSON.stringify({ codes, parseMs, slowestMs, calls, grown }), "measured");
  await Promise.all([dense_.stop(), other.stop()]);
`;

describe("A server whose responses are 15 MiB of JSON structure", { meta: { covers: ["A17"] } }, () => {
  it.each(["brackets", "keys"])(
    "fails only its own calls, and neither delays other servers nor fills the memory (%s)",
    { timeout: 120_000 },
    async (kind) => {
      const host = startFixture({
        command: process.execPath,
        args: ["--input-type=module", "-e", program(kind)],
      });
      onTestFinished(() => host.close());
      const end = await host.stdout.waitFor(" measured", 100_000);
      const measured = JSON.parse(host.stdout.text.slice(0, end - " measured".length)) as Measured;
      expect(measured.codes).toEqual(["INVALID_MESSAGE", "INVALID_MESSAGE"]);
      // If both responses had been parsed, a call of the other server would have taken at least twice `parseMs`.
      expect(measured.slowestMs).toBeLessThan(measured.parseMs / 2);
      expect(measured.grown).toBeLessThan(6 * 16 * MIB);
    },
  );
});

const dense = `[${"[],".repeat(600_000)}0]`;
const reason = "it has more than 1000000 brackets, commas and colons";
const denseAnswer = `{"jsonrpc":"2.0","id":1,"result":{"a":${dense}}}`;
const largeMessages = { maxMessageBytes: 16 * MIB };

describe("A response that exceeds the JSON bounds", { meta: { covers: ["A17"] } }, () => {
  const refused = { incoming: { type: "malformed", reason, looksLike: "response", id: 1 } };

  it("fails its request with UNEXPECTED_RESPONSE if it is the body of an HTTP response", async () => {
    const headers = { "content-type": "application/json" };
    const server = await startTestHttp((_, response) => void response.writeHead(200, headers).end(denseAnswer));
    const { transport, lost } = openHttp(server.url, largeMessages);
    void transport.send(request(1));
    await eventually(() => expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { reason } }));
  });

  it("fails its request if it is an event of an HTTP response", async () => {
    const headers = { "content-type": "text/event-stream" };
    const server = await startTestHttp(
      (_, response) => void response.writeHead(200, headers).end(`data: ${denseAnswer}\n\n`),
    );
    const { transport, messages } = openHttp(server.url, largeMessages);
    void transport.send(request(1));
    await eventually(() => expect(messages).toMatchObject([refused]));
  });

  it("fails its request if it is an event of an HTTP+SSE stream", async () => {
    const server = await startTestHttp(({ method }, response) => {
      if (method === "POST") return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /message\n\nevent: message\ndata: ${denseAnswer}\n\n`);
    });
    const { messages } = recordTransport(
      new SseTransport({ server: "tested", url: server.url, headers: {}, env: {}, ...largeMessages }),
    );
    await eventually(() => expect(messages).toMatchObject([refused]));
  });

  it("fails its request if it is a WebSocket frame", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => server.close());
    await once(server, "listening");
    server.on("connection", (client) => client.send(denseAnswer));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { messages } = recordTransport(
      await openWebSocket({ server: "tested", url, headers: {}, clock: systemClock, ...largeMessages }),
    );
    await eventually(() => expect(messages).toMatchObject([refused]));
  });
});

describe("A client's request that exceeds the JSON bounds", { meta: { covers: ["A17"] } }, () => {
  const handler: McpRequestHandler = {
    identity: { name: "tested", version: "0" },
    capabilities: () => ({ tools: true, listChanged: {} }) as ServerCapabilities,
    request: async () => ({ type: "complete", result: {} }),
    storeSuspended: async () => "",
    resume: async () => ({ type: "complete", result: {} }),
    listen: () => ({ stop: () => {} }),
  };
  const caller = { kind: "front", id: "client" } as const;
  const denseRequest = `{"method":"tools/call","params":{"name":"x","arguments":{"a":${dense}}},"jsonrpc":"2.0","id":"q"}`;

  it("is rejected with error −32600 over stdio, and the next request is served", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { ended } = serveStdioFront({ handler, caller, input, output });
    input.end(`${denseRequest}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`);
    await ended;
    output.end();
    expect(
      (await collect(output))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { jsonrpc: "2.0", id: "q", error: { code: -32600, message: reason } },
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });

  it("is rejected with error −32600 over HTTP, and the next request is served", async () => {
    const front = new HttpFront({ handler });
    const principal = { id: "client", name: "client", mayApprove: true };
    const server = createServer((request, response) => void front.handle(request, response, principal));
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = await fetch(url, { method: "POST", body: denseRequest });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: -32600, message: reason } });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect((await fetch(url, { method: "POST", body })).status).toBe(200);
    front.close(new HostError("HOST_CLOSED", {}));
  });
});
