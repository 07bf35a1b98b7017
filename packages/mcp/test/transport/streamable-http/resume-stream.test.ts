/** Tests response streams that end before the response. */
import { startEverythingHttp } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import type { HttpTransportOptions } from "#transport/streamable-http/http-transport.js";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect as dial, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, connect, expectText } from "../../helpers/connect.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import {
  sseEvent,
  eventually,
  logNotification,
  openHttp,
  request,
  result,
  startTestHttp,
  messageTexts,
} from "../../helpers/open-http.ts";

type Connection = (response: ServerResponse, requested: ScriptedRequest) => void;

const stream = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });

/** Sends the data and then cuts the connection. */
const cut = (response: ServerResponse, part: string) => stream(response).write(part, () => response.destroy());

/**
 * Starts a legacy server. The given functions handle the connections of one request in turn. The first connection is the
 * POST.
 */
async function legacy(connections: Connection[], options: Partial<HttpTransportOptions> = {}) {
  let connectionIndex = 0;
  const server = await startTestHttp((requested, response) => {
    if (requested.method === "DELETE") return void response.end();
    // This is the push stream.
    if (requested.method === "GET" && requested.headers["last-event-id"] === undefined)
      return void response.writeHead(405).end();
    const { method, id } = JSON.parse(requested.body || "{}") as { method?: string; id?: number };
    if (method === "initialize") {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" });
      return void response.end(JSON.stringify(result(id!)));
    }
    connections[Math.min(connectionIndex++, connections.length - 1)]!(response, requested);
  });
  const opened = openHttp(server.url, { ...options, random: () => 0 });
  await opened.transport.send(request(1, "initialize"));
  opened.transport.openPushStream({ "mcp-protocol-version": "2025-11-25" });
  const resumes = () =>
    server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined).map(({ headers }) => headers);
  return { ...opened, server, resumes };
}

describe("A response stream without a usable event id", { meta: { covers: ["F25"] } }, () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ["ends", (response) => stream(response).end(sseEvent(logNotification("half")))],
    ["breaks", (response) => cut(response, sseEvent(logNotification("half")))],
    [
      "resets its id",
      (response) => stream(response).end(sseEvent(logNotification("half"), { id: "1" }) + sseEvent("", { id: "" })),
    ],
  ])("fails its request immediately if it %s", async (_, answer) => {
    const { transport, lost, resumes } = await legacy([answer]);
    await transport.send(request(2));
    expect(lost.get(2)?.code).toBe("CONNECTION_LOST");
    expect(resumes()).toEqual([]);
  });

  it("fails its request immediately if there is no session, even with event ids", async () => {
    const server = await startTestHttp(
      (_, response) => void stream(response).end(sseEvent(logNotification("half"), { id: "1" })),
    );
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1));
    expect(lost.get(1)?.code).toBe("CONNECTION_LOST");
    expect(server.requests).toHaveLength(1);
  });
});

describe("A response stream with event ids", { meta: { covers: ["F26"] } }, () => {
  it.each<[string, Connection]>([
    ["broke", (response) => cut(response, sseEvent(logNotification("first"), { id: "a1", retry: 1 }))],
    ["ended", (response) => stream(response).end(sseEvent(logNotification("first"), { id: "a1", retry: 1 }))],
    ["was ended on purpose without data", (response) => stream(response).end(sseEvent("", { id: "a1", retry: 1 }))],
  ])("is resumed after its connection %s, and then delivers the response", async (_, first) => {
    const { transport, resumes, lost, ...received } = await legacy([
      first,
      (response) =>
        stream(response).end(sseEvent(logNotification("second"), { id: "a2" }) + sseEvent(result(2), { id: "a3" })),
    ]);
    await transport.send(request(2));
    expect(messageTexts({ lost, ...received }).filter((text) => text !== "first")).toEqual(["done", "second", "done"]);
    expect(received.messages.slice(1).every(({ via }) => via === 2)).toBe(true);
    expect(resumes()).toMatchObject([
      {
        "last-event-id": "a1",
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
        accept: "text/event-stream",
      },
    ]);
    expect(lost.size).toBe(0);
  });

  it("is resumed again and again while new events arrive", async () => {
    const step: Connection = (response, { headers }) => {
      const last = Number(headers["last-event-id"] ?? 0);
      const next = { id: String(last + 1), retry: 1 };
      stream(response).end(
        last === 9 ? sseEvent(result(2)) : sseEvent(last % 2 ? "" : logNotification(String(last)), next),
      );
    };
    const { transport, resumes, ...received } = await legacy([step]);
    await transport.send(request(2));
    expect(messageTexts(received)).toEqual(["done", "0", "2", "4", "6", "8", "done"]);
    expect(resumes().map((headers) => headers["last-event-id"])).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it.each<[string, string]>([
    ["the last event", sseEvent(logNotification("2"), { id: "a2" })],
    ["everything", sseEvent(logNotification("1"), { id: "a1" }) + sseEvent(logNotification("2"), { id: "a2" })],
  ])("is resumed without delivering an event twice, even if the server repeats %s", async (_, repeated) => {
    const { transport, ...received } = await legacy([
      (response) =>
        cut(
          response,
          sseEvent(logNotification("1"), { id: "a1", retry: 1 }) + sseEvent(logNotification("2"), { id: "a2" }),
        ),
      (response) => stream(response).end(repeated + sseEvent(logNotification("3"), { id: "a3" }) + sseEvent(result(2))),
    ]);
    await transport.send(request(2));
    expect(messageTexts(received)).toEqual(["done", "1", "2", "3", "done"]);
  });

  it("is resumed after a temporary rejection by the server", async () => {
    const clock = new ManualClock();
    const { transport, resumes, ...received } = await legacy(
      [
        (response) => stream(response).end(sseEvent("", { id: "a1" })),
        (response) => response.writeHead(503).end(),
        (response) => response.destroy(),
        (response) => stream(response).end(sseEvent(result(2))),
      ],
      { clock },
    );
    const sent = transport.send(request(2));
    for (let times = 1; times <= 3; times++) {
      await eventually(() => expect(clock.pendingTimers).toBe(1));
      clock.advance(30_000);
      await eventually(() => expect(resumes()).toHaveLength(times));
    }
    await sent;
    expect(messageTexts(received)).toEqual(["done", "done"]);
  });
});

describe("The delay before a stream is resumed", () => {
  it.each<[string, { id: string; retry?: number }, number]>([
    ["the time that the server asked for", { id: "1", retry: 7000 }, 7000],
    ["one second by default", { id: "1" }, 1000],
  ])("has the right length: %s", async (_, fields, ms) => {
    const clock = new ManualClock();
    const { transport, resumes, lost } = await legacy(
      [
        (response) => stream(response).end(sseEvent("", fields)),
        (response) => stream(response).end(sseEvent(result(2))),
      ],
      { clock },
    );
    const sent = transport.send(request(2));
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    clock.advance(ms - 1);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);
    await sent;
    expect(resumes()).toHaveLength(1);
    expect(lost.size).toBe(0);
  });

  it("ends when the request is cancelled", async () => {
    const clock = new ManualClock();
    const { transport, resumes, lost } = await legacy([(response) => stream(response).end(sseEvent("", { id: "1" }))], {
      clock,
    });
    const sent = transport.send(request(2));
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    transport.closeRequestStream(2);
    expect(clock.pendingTimers).toBe(0);
    await sent;
    expect(resumes()).toEqual([]);
    expect(lost.size).toBe(0);
  });
});

describe("A response stream that can't be resumed", () => {
  it("fails after several connections without new events", async () => {
    const clock = new ManualClock();
    const { transport, resumes, lost } = await legacy(
      [
        (response) => stream(response).end(sseEvent("", { id: "1" })),
        (response) => stream(response).end(": nothing new\n\n"),
      ],
      { clock },
    );
    const sent = transport.send(request(2));
    for (let times = 1; times <= 5; times++) {
      await eventually(() => expect(clock.pendingTimers).toBe(1));
      clock.advance(30_000);
      await eventually(() => expect(resumes()).toHaveLength(times));
    }
    await sent;
    expect(lost.get(2)?.code).toBe("CONNECTION_LOST");
    expect(clock.pendingTimers).toBe(0);
  });

  // The server may have executed the request, so the error is not SESSION_LOST.
  it.each([400, 401, 404, 405])("fails with CONNECTION_LOST at the first rejection with status %i", async (status) => {
    const { transport, resumes, lost } = await legacy([
      (response) => stream(response).end(sseEvent("", { id: "1", retry: 1 })),
      (response) => response.writeHead(status).end(),
    ]);
    await transport.send(request(2));
    expect(lost.get(2)?.code).toBe("CONNECTION_LOST");
    expect(resumes()).toHaveLength(1);
  });

  it("fails with MESSAGE_TOO_LARGE for an event over the size limit", async () => {
    const { transport, lost } = await legacy(
      [
        (response) => stream(response).end(sseEvent("", { id: "1", retry: 1 })),
        (response) => stream(response).write(`data: ${"x".repeat(2000)}`),
      ],
      { maxMessageBytes: 1000 },
    );
    await transport.send(request(2));
    expect(lost.get(2)?.code).toBe("MESSAGE_TOO_LARGE");
  });
});

/** A proxy that cuts all connections when the test asks for it. */
async function startCutter(url: string) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(Number(new URL(url).port), "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    sockets.add(near).add(far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(cut);
  return { url: url.replace(/:\d+/, `:${(server.address() as AddressInfo).port}`), cut };
}

it(
  "HttpTransport gets the response of the everything server after its connection was cut",
  { meta: { covers: ["F26"] } },
  async () => {
    const server = await startEverythingHttp();
    onTestFinished(() => server.close());
    const cutter = await startCutter(server.url);
    const { session } = await connect({ url: cutter.url });
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => {
      seen.push(progress);
      if (progress === 1) cutter.cut();
    };
    const outcome = await call(session, "trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onProgress });
    expect(expectText(outcome)).toMatch(/completed/);
    expect(seen).toEqual([1, 2, 3, 4]);
  },
);
