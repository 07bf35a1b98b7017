/**
 * Tests credentials over HTTP+SSE. They are sent with the stream and with every message, and replaced once if the
 * server rejects them.
 */
import type { HttpTransportOptions } from "#transport/streamable-http/http-transport.js";
import { probeSse } from "#transport/sse/probe-sse.js";
import { SseTransport } from "#transport/sse/sse-transport.js";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import {
  sseEvent,
  eventually,
  recordTransport,
  request,
  result,
  startTestHttp,
  messageTexts,
} from "../../helpers/open-http.ts";
import { CHALLENGE, deferred, ScriptedCredentials, rejectUnauthorized } from "../../helpers/scripted-credentials.ts";

const notification = { jsonrpc: "2.0", method: "notifications/x" } as const;
const refusal = { status: 401, challenge: CHALLENGE };

/** Accepts requests to the stream (GET) and to the endpoint (POST) only with one of the tokens for them. */
async function guarded(tokens: { GET: readonly string[]; POST: readonly string[] }) {
  let stream: ServerResponse | undefined;
  const server = await startTestHttp(({ method, headers, body }, response) => {
    if (rejectUnauthorized(headers, response, ...tokens[method as "GET" | "POST"])) return;
    if (method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return void stream.write("event: endpoint\ndata: /messages?session=secret\n\n");
    }
    response.writeHead(202).end();
    const { id } = JSON.parse(body) as { id?: number };
    if (id !== undefined) stream?.write(sseEvent(result(id)));
  });
  const sent = () => server.requests.map(({ method, headers }) => `${method} ${headers.authorization}`);
  return { url: server.url, sent };
}

const options = (url: string, credentials: ScriptedCredentials): HttpTransportOptions => ({
  server: "tested",
  url,
  headers: { Authorization: "Bearer of the definition" },
  credentials,
  maxMessageBytes: 1e5,
  env: {},
});

function open(url: string, credentials: ScriptedCredentials) {
  const transport = new SseTransport(options(url, credentials));
  return { transport, ...recordTransport(transport) };
}

describe("SseTransport with rejected credentials", () => {
  it("sends the stream request, a request and a notification a second time with new credentials", async () => {
    const server = await guarded({ GET: ["b"], POST: ["c"] });
    const credentials = new ScriptedCredentials("a", "b", "c");
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    await transport.send(notification);
    await eventually(() => expect(messageTexts(received)).toEqual(["done"]));
    expect(server.sent()).toEqual(["GET Bearer a", "GET Bearer b", "POST Bearer b", "POST Bearer c", "POST Bearer c"]);
    expect(credentials.refusals.map(({ sent }) => sent["authorization"])).toEqual(["Bearer a", "Bearer b"]);
    const addresses = ["/mcp", "/messages"].map((path) => new URL(path, server.url).href);
    expect(new Set(credentials.requests.map(({ url }) => url))).toEqual(new Set(addresses));
  });

  it("closes if the stream is rejected a second time", async () => {
    const server = await guarded({ GET: [], POST: [] });
    const { transport, lost, closed } = open(server.url, new ScriptedCredentials("a", "b", "c"));
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
    expect(closed).toMatchObject([{ code: "AUTH_REQUIRED", cause: refusal }]);
    expect(server.sent()).toEqual(["GET Bearer a", "GET Bearer b"]);
  });

  it("fails only the message that is rejected a second time", async () => {
    const server = await guarded({ GET: ["a"], POST: ["c"] });
    const { transport, lost, closed, ...received } = open(server.url, new ScriptedCredentials("a", "b", "c"));
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
    await transport.send(request(2));
    await eventually(() => expect(messageTexts({ lost, closed, ...received })).toEqual(["done"]));
    expect(server.sent()).toEqual(["GET Bearer a", "POST Bearer a", "POST Bearer b", "POST Bearer b", "POST Bearer c"]);
    expect(closed).toEqual([]);
  });
});

describe("probeSse with credentials", () => {
  it("sends the credentials with its request", async () => {
    const server = await guarded({ GET: ["b"], POST: [] });
    const transport = await probeSse(options(server.url, new ScriptedCredentials("a", "b")));
    await transport?.close();
    expect(transport).toBeDefined();
    expect(server.sent()).toEqual(["GET Bearer a", "GET Bearer b"]);
  });

  it("reports a server that requires a login", async () => {
    const server = await guarded({ GET: [], POST: [] });
    const probing = probeSse(options(server.url, new ScriptedCredentials("a")));
    await expect(probing).rejects.toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
  });
});

it("SseTransport waits for new credentials until it is closed, without a timeout", async () => {
  const clock = new ManualClock();
  const server = await guarded({ GET: ["a"], POST: ["b"] });
  const credentials = new ScriptedCredentials("a", "b");
  const requested = deferred<void>();
  credentials.onUnauthorized = () => {
    requested.resolve();
    return new Promise(() => {});
  };
  const transport = new SseTransport({ ...options(server.url, credentials), clock });
  recordTransport(transport);
  const notifying = transport.send(notification);
  const rejected = expect(notifying).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await requested.promise;
  clock.advance(60_000);
  await transport.close();
  await rejected;
  expect(server.sent()).toEqual(["GET Bearer a", "POST Bearer a"]);
});
