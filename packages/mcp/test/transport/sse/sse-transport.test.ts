/** Tests HTTP+SSE (2024-11-05) with a scripted server and with the real everything server. */
import { once } from "node:events";
import { startEverythingHttp, startEverythingSse } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import { systemClock } from "@plugboard/contracts";
import type { HttpTransportOptions } from "#transport/streamable-http/http-transport.js";
import { probeSse } from "#transport/sse/probe-sse.js";
import { SseTransport } from "#transport/sse/sse-transport.js";
import { Peer } from "#wire/peer.js";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import {
  sseEvent,
  eventually,
  recordTransport,
  logNotification,
  request,
  result,
  startTestHttp,
  messageTexts,
} from "../../helpers/open-http.ts";

const notification = { jsonrpc: "2.0", method: "notifications/x" } as const;

const options = (url: string, overrides: Partial<HttpTransportOptions> = {}): HttpTransportOptions => ({
  server: "tested",
  url,
  headers: { "x-key": "k" },
  maxMessageBytes: 1e5,
  env: {},
  ...overrides,
});

const endpoint = (url: string) => `event: endpoint\ndata: ${url}\n\n`;

type OnPost = (requested: ScriptedRequest, response: ServerResponse, stream: ServerResponse) => void;

const accept: OnPost = (_, response) => void response.writeHead(202).end("Accepted");

/** Opens its stream with the given first events. */
async function sseServer(first: string, onPost: OnPost = accept) {
  const streams: ServerResponse[] = [];
  const server = await startTestHttp((requested, response) => {
    if (requested.method === "POST") return onPost(requested, response, streams.at(-1)!);
    streams.push(response.writeHead(200, { "content-type": "text/event-stream" }));
    response.flushHeaders();
    response.write(first);
  });
  return { ...server, streams };
}

function open(url: string, overrides: Partial<HttpTransportOptions> = {}) {
  const transport = new SseTransport(options(url, overrides));
  return { transport, ...recordTransport(transport) };
}

describe("SseTransport", () => {
  it(
    "sends to the endpoint of the first event and receives on the stream, in any order",
    { meta: { covers: ["R1.3", "R1.62"] } },
    async () => {
      const server = await sseServer(endpoint("/message?session=7"), ({ body }, response, stream) => {
        accept({} as ScriptedRequest, response, stream);
        const { id } = JSON.parse(body) as { id?: number };
        if (id === 2) stream.write(sseEvent(logNotification("news")) + sseEvent(result(2)) + sseEvent(result(1)));
      });
      const { transport, ...received } = open(server.url);
      await transport.send(request(1), { "mcp-protocol-version": "2024-11-05" });
      await transport.send(request(2));
      await transport.send(notification);
      await eventually(() => expect(messageTexts(received)).toEqual(["news", "done", "done"]));
      expect(received.messages.every(({ via }) => via === undefined)).toBe(true);
      const [get, ...posts] = server.requests;
      expect(get).toMatchObject({ method: "GET", headers: { accept: "text/event-stream", "x-key": "k" } });
      expect(posts.map(({ path }) => path)).toEqual(Array(3).fill("/message?session=7"));
      for (const { headers } of posts)
        expect(headers).toMatchObject({ "content-type": "application/json", "x-key": "k" });
      expect(posts[0]?.headers["mcp-protocol-version"]).toBe("2024-11-05");
    },
  );

  it("queues messages until the endpoint is known", async () => {
    const server = await sseServer("");
    const { transport } = open(server.url);
    const sent = transport.send(request(1));
    await eventually(() => expect(server.streams).toHaveLength(1));
    expect(server.requests).toHaveLength(1);
    server.streams[0]!.write(endpoint("/message"));
    await sent;
    expect(server.requests[1]).toMatchObject({ method: "POST", path: "/message" });
  });

  it("uses the endpoint of the first endpoint event", async () => {
    const server = await sseServer(endpoint("/first") + endpoint("/second"));
    const { transport } = open(server.url);
    await transport.send(request(1));
    expect(server.requests[1]?.path).toBe("/first");
  });

  it.each<[string, (url: URL) => string]>([
    ["an absolute path", () => "/m?x=1"],
    ["a relative path", () => "m?x=1"],
    ["a full URL", (url) => `${url.origin}/m?x=1`],
  ])("accepts %s as the endpoint", async (_, endpointFor) => {
    const server = await startTestHttp(({ method }, response) => {
      if (method === "POST") return void response.writeHead(202).end();
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(endpoint(endpointFor(new URL(server.url))));
    });
    const { transport } = open(server.url);
    await transport.send(request(1));
    expect(server.requests[1]?.path).toBe("/m?x=1");
  });
});

describe("An endpoint on another origin", { meta: { covers: ["S8"] } }, () => {
  it.each<[string, (url: URL, other: string) => string]>([
    ["another server", (_, other) => other],
    ["another scheme", (url) => `https://${url.host}/m`],
    ["another port, without a scheme", () => "//127.0.0.1:9/m"],
    ["an invalid URL", () => "http://"],
  ])("is rejected, and nothing is sent to it (%s)", async (_, endpointFor) => {
    const otherSite = await startTestHttp((__, response) => void response.writeHead(202).end());
    const server = await startTestHttp((__, response) => {
      const url = endpointFor(new URL(server.url), otherSite.url);
      response.writeHead(200, { "content-type": "text/event-stream" }).write(endpoint(url));
    });
    const { transport, closed, lost } = open(server.url);
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    expect(lost.get(1)?.message).toMatch(/not its own origin/);
    expect(closed).toHaveLength(1);
    expect([...otherSite.requests, ...server.requests.slice(1)]).toEqual([]);
    await expect(probeSse(options(server.url))).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
  });
});

describe("The end of an HTTP+SSE stream", () => {
  it.each<[string, (stream: ServerResponse) => void, string]>([
    ["ends normally", (stream) => stream.end(), "CONNECTION_LOST"],
    ["breaks off", (stream) => stream.destroy(), "CONNECTION_LOST"],
    [
      "brings an event over the size limit",
      (stream) => stream.write(`data: ${"x".repeat(200_000)}`),
      "MESSAGE_TOO_LARGE",
    ],
  ])("closes the connection once, and fails a request that is being sent, if the stream %s", async (_, end, code) => {
    const server = await sseServer(endpoint("/message"), () => {});
    const { transport, closed, lost } = open(server.url);
    const sent = transport.send(request(1));
    await eventually(() => expect(server.requests).toHaveLength(2));
    const streamClosed = once(server.streams[0]!, "close");
    end(server.streams[0]!);
    await Promise.all([streamClosed, sent]);
    expect(lost.get(1)?.code).toBe(code);
    await eventually(() => expect(closed.map((error) => error.code)).toEqual([code]));
    await expect(transport.send(notification)).rejects.toMatchObject({ code });
    expect(server.streams).toHaveLength(1);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ["is rejected", (response) => response.writeHead(404).end(), "UNEXPECTED_RESPONSE"],
    ["requires a login", (response) => response.writeHead(401).end(), "AUTH_REQUIRED"],
    ["is not an event stream", (response) => response.writeHead(200).end("hello"), "UNEXPECTED_RESPONSE"],
    ["is disconnected", (response) => response.destroy(), "CONNECTION_LOST"],
  ])("is reported if the response %s", async (_, answer, code) => {
    const server = await startTestHttp((__, response) => answer(response));
    const { transport, closed, lost } = open(server.url);
    await transport.send(request(1));
    expect(lost.get(1)?.code).toBe(code);
    expect(closed.map((error) => error.code)).toEqual([code]);
  });

  it("is not reported if the client closed the connection", async () => {
    const posts: ServerResponse[] = [];
    const server = await sseServer(endpoint("/message"), (_, response) => void posts.push(response));
    const { transport, closed, lost } = open(server.url);
    const sent = transport.send(request(1));
    await eventually(() => expect(posts).toHaveLength(1));
    // The server notices later that the client has closed the stream and the request.
    const ended = [server.streams[0]!, posts[0]!].map((response) => once(response, "close"));
    await transport.close();
    await Promise.all([sent, ...ended]);
    expect(lost.get(1)?.code).toBe("CONNECTION_CLOSED");
    await expect(transport.send(notification)).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    expect(closed).toEqual([]);
  });
});

describe("A message over HTTP+SSE", () => {
  it("fails without affecting others if it is rejected", async () => {
    const server = await sseServer(endpoint("/message"), (_, response) => void response.writeHead(400).end());
    const { transport, closed, lost } = open(server.url);
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 400 } });
    await expect(transport.send(notification)).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    expect(closed).toEqual([]);
  });

  it("fails after the accept timeout if it is a notification, but not if it is a request", async () => {
    const clock = new ManualClock();
    const server = await sseServer(endpoint("/message"), () => {});
    const { transport, lost } = open(server.url, { acceptTimeoutMs: 50, clock });
    const notifying = transport.send(notification);
    void transport.send(request(1));
    await eventually(() => expect(server.requests).toHaveLength(3));
    expect(clock.pendingTimers).toBe(1);
    clock.advance(50);
    await expect(notifying).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expect(lost.size).toBe(0);
  });

  it("is aborted when it is cancelled, and reports no error", async () => {
    let requestClosed = false;
    const server = await sseServer(
      endpoint("/message"),
      (_, response) => void response.once("close", () => (requestClosed = true)),
    );
    const { transport, lost } = open(server.url);
    const sent = transport.send(request(1));
    await eventually(() => expect(server.requests).toHaveLength(2));
    transport.closeRequestStream(1);
    await sent;
    await eventually(() => expect(requestClosed).toBe(true));
    expect(lost.size).toBe(0);
  });
});

describe("probeSse", () => {
  it("returns the open transport with the messages received so far", async () => {
    const server = await sseServer(endpoint("/message") + sseEvent(logNotification("early")));
    const clock = new ManualClock();
    const transport = await probeSse(options(server.url, { clock }));
    expect(transport).toBeDefined();
    expect(clock.pendingTimers).toBe(0);
    const received = recordTransport(transport!);
    await transport!.send(request(1));
    expect(messageTexts(received)).toEqual(["early"]);
    expect(server.streams).toHaveLength(1);
  });

  it("keeps no message that came before the endpoint", async () => {
    const server = await sseServer(
      sseEvent(logNotification("too early")) + endpoint("/message") + sseEvent(logNotification("early")),
    );
    const transport = await probeSse(options(server.url));
    expect(messageTexts(recordTransport(transport!))).toEqual(["early"]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["rejects the request", (response) => response.writeHead(405).end()],
    ["sends an HTML page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")],
    ["disconnects", (response) => response.destroy()],
    ["ends its stream", (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end()],
  ])("returns undefined for a server that %s", async (_, answer) => {
    const server = await startTestHttp((__, response) => answer(response));
    expect(await probeSse(options(server.url))).toBeUndefined();
  });

  it("returns undefined and disconnects if the server never names an endpoint", async () => {
    const clock = new ManualClock();
    const server = await sseServer(sseEvent(logNotification("something else")));
    const probing = probeSse({ ...options(server.url, { clock }), timeoutMs: 3000 });
    await eventually(() => expect(server.streams).toHaveLength(1));
    const streamClosed = new Promise((resolve) => server.streams[0]!.once("close", resolve));
    clock.advance(3000);
    expect(await probing).toBeUndefined();
    await streamClosed;
    expect(clock.pendingTimers).toBe(0);
  });

  it("ends when it is cancelled", async () => {
    const server = await sseServer("");
    const abort = new AbortController();
    const probing = probeSse({ ...options(server.url), signal: abort.signal });
    await eventually(() => expect(server.streams).toHaveLength(1));
    abort.abort();
    expect(await probing).toBeUndefined();
    expect(await probeSse({ ...options(server.url), signal: abort.signal })).toBeUndefined();
    expect(server.streams).toHaveLength(1);
  });

  it("reports that a login is required", async () => {
    const server = await startTestHttp((_, response) => void response.writeHead(401).end());
    await expect(probeSse(options(server.url))).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
  });
});

describe("The everything server over HTTP+SSE", () => {
  it("is detected by probeSse and answers a call", async () => {
    const server = await startEverythingSse();
    onTestFinished(() => server.close());
    const transport = await probeSse(options(server.url, { maxMessageBytes: 1e7 }));
    const peer = new Peer({ server: "tested", transport: transport!, clock: systemClock });
    onTestFinished(() => peer.close());
    const ask = async (method: string, params: object) => {
      const reply = await peer.request(method, () => ({ ...params })).response;
      return JSON.stringify(reply);
    };
    const clientInfo = { name: "test", version: "0" };
    const opened = await ask("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo });
    expect(opened).toContain('"protocolVersion":"2024-11-05"');
    await peer.notify("notifications/initialized");
    expect(await ask("tools/call", { name: "echo", arguments: { message: "hello" } })).toContain("Echo: hello");
  });

  it("rejects a request over Streamable HTTP with status 404", async () => {
    const server = await startEverythingSse();
    onTestFinished(() => server.close());
    const { HttpTransport } = await import("#transport/streamable-http/http-transport.js");
    const transport = new HttpTransport(options(server.url));
    const { lost } = recordTransport(transport);
    await transport.send(request(1, "initialize"));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 404 } });
  });

  it("is not detected by probeSse at a URL of Streamable HTTP", async () => {
    const server = await startEverythingHttp();
    onTestFinished(() => server.close());
    expect(await probeSse(options(server.url))).toBeUndefined();
  });
});
