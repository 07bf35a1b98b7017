/** Streamable HTTP against a server whose answers are made by hand, and against the real everything server. */
import { startEverythingHttp, startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { asks, call, connect, error, text } from "./connect.ts";

type Answer = (id: number, response: ServerResponse, request: ScriptedRequest) => void;

const json = (response: ServerResponse, body: object, headers = {}) =>
  response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ jsonrpc: "2.0", ...body }));

/** A legacy server of sessions that answers a call as the test says. */
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

describe("a legacy session", () => {
  it("sends its id and revision with everything after the handshake, and ends it with DELETE", async () => {
    const server = await legacyServer((id, response) => json(response, done(id)));
    const { session, connection } = await connect({ url: server.url });
    expect(text(await call(session, "it"))).toBe("done");
    await connection.stop();
    const after = server.requests.slice(2);
    expect(after.map(({ method }) => method)).toContain("DELETE");
    for (const { headers } of after) expect(headers["mcp-session-id"]).toBe("session-1");
    const calls = after.filter(({ method }) => method === "POST");
    for (const { headers } of calls) expect(headers["mcp-protocol-version"]).toBe("2025-06-18");
  });

  it("takes an answer as a stream, with progress before it", async () => {
    const server = await legacyServer((id, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ method: "notifications/progress", params: { progressToken: id, progress: 1 } }));
      response.end(event(done(id)));
    });
    const { session } = await connect({ url: server.url });
    const seen: number[] = [];
    expect(text(await call(session, "it", {}, { onProgress: ({ progress }) => seen.push(progress) }))).toBe("done");
    expect(seen).toEqual([1]);
  });

  it("ties a question to the call on whose stream it came, whatever else is in flight", async () => {
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
    const { session, strays } = await connect({ url: server.url });
    const first = call(session, "it", { who: "first" });
    const second = call(session, "it", { who: "second" });
    asks(await first);
    for (const { id, response } of streams.values()) response.end(event(done(id)));
    expect(text(await second)).toBe("done");
    expect(strays).toEqual([]);
  });
});

describe("an answer that is none", () => {
  it.each<[string, Answer, string]>([
    [
      "HTML",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "UNEXPECTED_RESPONSE",
    ],
    ["202", (_, response) => response.writeHead(202).end(), "UNEXPECTED_RESPONSE"],
    [
      "cut JSON",
      (id, response) => response.writeHead(200, { "content-type": "application/json" }).end(`{"id":${id}`),
      "UNEXPECTED_RESPONSE",
    ],
    [
      "a stream that ends early",
      (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n"),
      "CONNECTION_LOST",
    ],
    ["a reset", (_, response) => response.destroy(), "CONNECTION_LOST"],
    ["401", (_, response) => response.writeHead(401).end(), "AUTH_REQUIRED"],
    ["503", (_, response) => response.writeHead(503).end(), "SERVER_UNREACHABLE"],
    ["404 of a forgotten session", (_, response) => response.writeHead(404).end(), "CONNECTION_LOST"],
  ])("fails the call now: %s", async (_, answer, code) => {
    const server = await legacyServer(answer);
    const { session } = await connect({ url: server.url });
    expect(error(await call(session, "it")).code).toBe(code);
  });

  it("is cut off when it is over the limit", async () => {
    const server = await legacyServer((id, response) => json(response, { ...done(id), padding: "x".repeat(200_000) }));
    const { session } = await connect({ url: server.url }, { limits: { maxMessageBytes: 100_000 } });
    expect(error(await call(session, "it"))).toMatchObject({
      code: "MESSAGE_TOO_LARGE",
      details: { limitBytes: 100_000 },
    });
  });

  it("does not follow a redirect", async () => {
    const server = await legacyServer((_, response) =>
      response.writeHead(307, { location: "http://127.0.0.1:9/" }).end(),
    );
    const { session } = await connect({ url: server.url });
    expect(error(await call(session, "it"))).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 307 } });
  });
});

it("elicits over HTTP from the everything server", async () => {
  const server = await startEverythingHttp();
  onTestFinished(() => server.close());
  const { session } = await connect({ url: server.url });
  const suspended = asks(await call(session, "trigger-elicitation-request"));
  const [key = ""] = Object.keys(suspended.asks);
  const outcome = await suspended.resume({ [key]: { action: "accept", content: { name: "Ann" } } }, {});
  expect(JSON.stringify(outcome)).toContain("Name: Ann");
});
