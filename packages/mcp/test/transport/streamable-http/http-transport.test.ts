/** Tests Streamable HTTP with a scripted server and with the real everything server. */
import { startEverythingHttp, startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import type { HttpTransportOptions, HttpTransport } from "#transport/streamable-http/http-transport.js";
import type { ParsedMessage } from "#wire/message.js";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectSuspended, call, connect, expectFailure, expectText } from "../../helpers/connect.ts";
import { openHttp } from "../../helpers/open-http.ts";

type Answer = (id: number, response: ServerResponse, request: ScriptedRequest) => void;

const json = (response: ServerResponse, body: object, headers = {}) =>
  response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ jsonrpc: "2.0", ...body }));

/** A legacy server with sessions that answers a call as the test says. */
async function legacyServer(onCall: Answer) {
  const server = await startScriptedHttp((request, response) => {
    if (request.method === "DELETE") return void response.writeHead(200).end();
    if (request.method === "GET") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(request.body) as { id?: number; method?: string };
    if (method === "initialize") {
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      };
      json(response, { id, result }, { "mcp-session-id": "session-1" });
    } else if (method === "tools/list") {
      json(response, { id, result: { tools: [{ name: "it", inputSchema: { type: "object" } }] } });
    } else if (method === "ping") {
      json(response, { id, result: {} });
    } else if (method === "tools/call") {
      onCall(id!, response, request);
    } else if (id === undefined || method === undefined) {
      response.writeHead(202).end();
    } else {
      response.writeHead(400).end();
    }
  });
  onTestFinished(() => server.close());
  return server;
}

const done = (id: number) => ({ id, result: { content: [{ type: "text", text: "done" }] } });
const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

describe("A legacy session over HTTP", () => {
  it(
    "sends its id and revision after the handshake, and is ended with a DELETE",
    { meta: { covers: ["R2.21", "R2.22", "R2.149"] } },
    async () => {
      const server = await legacyServer((id, response) => json(response, done(id)));
      const { session, connection } = await connect({ url: server.url });
      expect(expectText(await call(session, "it"))).toBe("done");
      await connection.stop();
      const after = server.requests.slice(2);
      expect(after.map(({ method }) => method)).toContain("DELETE");
      for (const { headers } of after) expect(headers["mcp-session-id"]).toBe("session-1");
      const calls = after.filter(({ method }) => method === "POST");
      for (const { headers } of calls) expect(headers["mcp-protocol-version"]).toBe("2025-06-18");
    },
  );

  it("reads a response from a stream, after its progress", { meta: { covers: ["R2.151"] } }, async () => {
    const server = await legacyServer((id, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ method: "notifications/progress", params: { progressToken: id, progress: 1 } }));
      response.end(event(done(id)));
    });
    const { session } = await connect({ url: server.url });
    const seen: number[] = [];
    expect(expectText(await call(session, "it", {}, { onProgress: ({ progress }) => seen.push(progress) }))).toBe(
      "done",
    );
    expect(seen).toEqual([1]);
  });

  it("assigns a question to the call on whose stream it came, even if other calls are in flight", async () => {
    const streams = new Map<string, { id: number; response: ServerResponse }>();
    const server = await legacyServer((id, response, { body }) => {
      const { who } = (JSON.parse(body) as { params: { arguments: { who: string } } }).params.arguments;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.set(who, { id, response });
      if (streams.size < 2) return;
      const requestedSchema = { type: "object", properties: {} };
      streams
        .get("first")!
        .response.write(event({ id: "q", method: "elicitation/create", params: { message: "?", requestedSchema } }));
    });
    const { session, unattributed } = await connect({ url: server.url });
    const first = call(session, "it", { who: "first" });
    const second = call(session, "it", { who: "second" });
    expectSuspended(await first);
    for (const { id, response } of streams.values()) response.end(event(done(id)));
    expect(expectText(await second)).toBe("done");
    expect(unattributed).toEqual([]);
  });
});

describe("An invalid response", { meta: { covers: ["R0.65", "R2.160"] } }, () => {
  it.each<[string, Answer, string]>([
    [
      "an HTML page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "UNEXPECTED_RESPONSE",
    ],
    ["status 202", (_, response) => response.writeHead(202).end(), "UNEXPECTED_RESPONSE"],
    [
      "truncated JSON",
      (id, response) => response.writeHead(200, { "content-type": "application/json" }).end(`{"id":${id}`),
      "UNEXPECTED_RESPONSE",
    ],
    [
      "a stream that ends early",
      (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n"),
      "CONNECTION_LOST",
    ],
    ["a connection reset", (_, response) => response.destroy(), "CONNECTION_LOST"],
    ["status 401", (_, response) => response.writeHead(401).end(), "AUTH_REQUIRED"],
    ["status 503", (_, response) => response.writeHead(503).end(), "SERVER_OVERLOADED"],
    ["status 500", (_, response) => response.writeHead(500).end(), "SERVER_UNREACHABLE"],
    ["status 404 for a lost session", (_, response) => response.writeHead(404).end(), "SESSION_LOST"],
  ])("fails the call immediately (%s)", async (_, answer, code) => {
    const server = await legacyServer(answer);
    const { session } = await connect({ url: server.url });
    expect(expectFailure(await call(session, "it")).code).toBe(code);
  });

  it("is cut off when it exceeds the size limit", async () => {
    const server = await legacyServer((id, response) => json(response, { ...done(id), padding: "x".repeat(200_000) }));
    const { session } = await connect({ url: server.url }, { limits: { maxMessageBytes: 100_000 } });
    expect(expectFailure(await call(session, "it"))).toMatchObject({
      code: "MESSAGE_TOO_LARGE",
      details: { limitBytes: 100_000 },
    });
  });
});

describe("The HTTP status of a response", () => {
  const body = (response: ServerResponse, status: number, message: object) =>
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const error = { code: -32000, message: "no" };

  it.each<[string, Answer, string]>([
    ["401 with an error requires a login", (id, response) => body(response, 401, { id, error }), "AUTH_REQUIRED"],
    ["404 with an error means a lost session", (id, response) => body(response, 404, { id, error }), "SESSION_LOST"],
    ["400 with a result is unexpected", (id, response) => body(response, 400, done(id)), "UNEXPECTED_RESPONSE"],
    [
      "500 with a result means an unreachable server",
      (id, response) => body(response, 500, done(id)),
      "SERVER_UNREACHABLE",
    ],
    ["403 with an error is a response", (id, response) => body(response, 403, { id, error }), "TOOL_EXECUTION_FAILED"],
    [
      "400 with an error without an id is a response",
      (_, response) => body(response, 400, { id: null, error }),
      "TOOL_EXECUTION_FAILED",
    ],
  ])("decides how the body is read: %s", async (_, answer, code) => {
    const server = await legacyServer(answer);
    const { session } = await connect({ url: server.url });
    expect(expectFailure(await call(session, "it")).code).toBe(code);
  });
});

it("HttpTransport does not treat 404 as a lost session if there is no session", async () => {
  const server = await startScriptedHttp((_, response) => {
    const refusal = { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "unknown" } };
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(refusal));
  });
  onTestFinished(() => server.close());
  const received: unknown[] = [];
  const transport = open(server.url, {}, (incoming) => received.push(incoming));
  await transport.send({ jsonrpc: "2.0", id: 1, method: "server/discover" });
  expect(received).toMatchObject([{ type: "error", message: { error: { code: -32601 } } }]);
});

describe("A response to another request", () => {
  it("fails the call immediately if it is the whole body", async () => {
    const server = await legacyServer((id, response) => json(response, done(id + 1000)));
    const { session } = await connect({ url: server.url });
    expect(expectFailure(await call(session, "it")).code).toBe("UNEXPECTED_RESPONSE");
  });

  it("is ignored on a stream", async () => {
    const stale = { result: { content: [{ type: "text", text: "not yours" }] } };
    const server = await legacyServer((id, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ id: id + 1, ...stale }));
      response.end(event(done(id)));
    });
    const { session } = await connect({ url: server.url });
    const both = await Promise.all([call(session, "it"), call(session, "it")]);
    expect(both.map(expectText)).toEqual(["done", "done"]);
  });

  it("is not assumed if the server returns the right id as a string", async () => {
    const server = await legacyServer((id, response) => json(response, { ...done(id), id: String(id) }));
    const { session } = await connect({ url: server.url });
    expect(expectText(await call(session, "it"))).toBe("done");
  });
});

it("HttpTransport closes a stream that the server leaves open after the response", async () => {
  let open = 0;
  const server = await legacyServer((id, response) => {
    open += 1;
    response.once("close", () => (open -= 1));
    response.writeHead(200, { "content-type": "text/event-stream" }).write(event(done(id)));
  });
  const { session } = await connect({ url: server.url });
  for (let count = 0; count < 20; count++) expect(expectText(await call(session, "it"))).toBe("done");
  await vi.waitFor(() => expect(open).toBe(0));
});

it("HttpTransport reuses connections whose streams the server has ended", async () => {
  const sockets = new Set<unknown>();
  let ended: Promise<unknown> = Promise.resolve();
  const server = await legacyServer((id, response) => {
    sockets.add(response.socket);
    ended = once(response, "finish");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(done(id)));
    setImmediate(() => response.end());
  });
  const { session } = await connect({ url: server.url });
  for (let count = 0; count < 20; count++) {
    await call(session, "it");
    await ended;
  }
  expect(sockets.size).toBeLessThan(20);
});

it("HttpTransport ignores invalid data on the push stream", async () => {
  let push: ServerResponse | undefined;
  const server = await startScriptedHttp((request, response) => {
    if (request.method === "GET") {
      push = response.writeHead(200, { "content-type": "text/event-stream" });
      return push.flushHeaders();
    }
    const { id, method } = JSON.parse(request.body || "{}") as { id?: number; method?: string };
    const about = { protocolVersion: "2025-06-18", serverInfo: { name: "x", version: "1" } };
    const result = { ...about, capabilities: { tools: {} } };
    if (method === "tools/list") return void json(response, { id, result: { tools: [] } });
    if (method === "initialize") return void json(response, { id, result });
    if (method === "server/discover" || id === undefined) return void response.writeHead(202).end();
    push?.write("data: garbage\n\ndata: []\n\n" + event({ result: {} }));
    setTimeout(() => json(response, done(id)), 100);
  });
  onTestFinished(() => server.close());
  const { session } = await connect({ url: server.url });
  await vi.waitFor(() => expect(push).toBeDefined());
  expect(expectText(await call(session, "it"))).toBe("done");
});

describe("A notification over HTTP", () => {
  const notification = { jsonrpc: "2.0", method: "notifications/x" } as const;

  it("fails if the server does not accept it in time", async () => {
    const server = await startScriptedHttp(() => {});
    onTestFinished(() => server.close());
    const transport = open(server.url, { acceptTimeoutMs: 50 });
    await expect(transport.send(notification)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      details: { reason: "it did not accept a message in 50 ms" },
    });
  });

  it("is accepted even if the body of the response never ends", async () => {
    const server = await startScriptedHttp((_, response) => void response.writeHead(202).write("x"));
    onTestFinished(() => server.close());
    await open(server.url).send(notification);
  });

  it("is rejected if too many other notifications are being sent", async () => {
    const server = await startScriptedHttp(() => {});
    onTestFinished(() => server.close());
    const transport = open(server.url);
    const refused: unknown[] = [];
    for (let count = 0; count < 1100; count++)
      transport.send(notification).catch((thrown: unknown) => refused.push(thrown));
    await vi.waitFor(() => expect(refused).toHaveLength(1100 - 1024));
    for (const thrown of refused) expect(thrown).toMatchObject({ code: "TOO_MANY_CALLS" });
  });
});

it(
  "HttpTransport sends each header once, whatever its case, and sends credentials in the URL as a header",
  { meta: { covers: ["R1.62"] } },
  async () => {
    const seen: string[][] = [];
    const server = createServer((request, response) => {
      seen.push([request.url ?? "", ...request.rawHeaders]);
      response.writeHead(202).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const headers = { Accept: "text/plain", "Content-Type": "text/plain", "X-Key": "k" };
    const transport = open(`http://ann:p%40ss@127.0.0.1:${port}/mcp?a=1`, { headers });
    await transport.send({ jsonrpc: "2.0", method: "notifications/x" });
    const [[path, ...raw] = []] = seen;
    const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    expect(path).toBe("/mcp?a=1");
    expect(raw).toEqual(expect.arrayContaining(["application/json, text/event-stream", "application/json", "k"]));
    expect(raw).toContain(`Basic ${Buffer.from("ann:p@ss").toString("base64")}`);
  },
);

it("The everything server can ask the user a question over HTTP", async () => {
  const server = await startEverythingHttp();
  onTestFinished(() => server.close());
  const { session } = await connect({ url: server.url });
  const suspended = expectSuspended(await call(session, "trigger-elicitation-request"));
  const [key = ""] = Object.keys(suspended.asks);
  const outcome = await suspended.resume({ [key]: { action: "accept", content: { name: "Ann" } } }, {});
  expect(JSON.stringify(outcome)).toContain("Name: Ann");
});

function open(
  url: string,
  options: Partial<HttpTransportOptions> = {},
  message: (incoming: ParsedMessage) => void = () => {},
): HttpTransport {
  const { transport } = openHttp(url, options, { message });
  return transport;
}
