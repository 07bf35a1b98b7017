/** Tests the GET stream on which a server with sessions sends its own messages. */
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import { startFixture } from "@plugboard/testkit/fixture-process";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
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

const VERSION = { "mcp-protocol-version": "2025-11-25" };

const stream = (response: ServerResponse, part = "") => {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  response.write(part);
  return response;
};

/** Handles each connection with the next of the given functions. The last one handles all further connections. */
async function pushing(...connections: Connection[]) {
  let connectionIndex = 0;
  const server = await startTestHttp((requested, response) => {
    if (requested.method === "GET")
      return connections[Math.min(connectionIndex++, connections.length - 1)]!(response, requested);
    const { id } = JSON.parse(requested.body || "{}") as { id?: number };
    if (id === undefined) return void response.end();
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${id}` });
    response.end(JSON.stringify(result(id)));
  });
  const gets = () => server.requests.filter(({ method }) => method === "GET").map(({ headers }) => headers);
  return { server, gets };
}

const silent: Connection = (response) => void stream(response);

describe("The push stream", () => {
  it(
    "is opened with the session id, and its messages belong to no request",
    { meta: { covers: ["R2.150"] } },
    async () => {
      const { server, gets } = await pushing((response) => void stream(response, sseEvent(logNotification("news"))));
      const { transport, ...received } = openHttp(server.url);
      await transport.send(request(1));
      transport.openPushStream(VERSION);
      await eventually(() => expect(messageTexts(received)).toEqual(["done", "news"]));
      expect(received.messages[1]?.via).toBeUndefined();
      expect(gets()).toMatchObject([{ ...VERSION, "mcp-session-id": "s1", accept: "text/event-stream" }]);
    },
  );

  it("is opened before requests are sent, because its messages may belong to them", async () => {
    const order: string[] = [];
    const server = await startTestHttp(({ method, body }, response) => {
      if (method !== "GET") {
        order.push("asked");
        const { id } = JSON.parse(body) as { id: number };
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      }
      setTimeout(() => {
        order.push("open");
        stream(response);
      }, 100);
    });
    const { transport } = openHttp(server.url);
    transport.openPushStream(VERSION);
    await transport.send(request(1));
    expect(order).toEqual(["open", "asked"]);
  });

  it("does not delay requests for long, even if the server does not respond to the GET", async () => {
    const server = await startTestHttp(({ method, body }, response) => {
      if (method === "GET") return;
      const { id } = JSON.parse(body) as { id: number };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    });
    const { transport, lost } = openHttp(server.url);
    transport.openPushStream(VERSION);
    await transport.send(request(1));
    await transport.send(request(2));
    expect(lost.size).toBe(0);
  });

  it("may deliver the response to a request, and then the stream of that request is closed", async () => {
    const open: { push?: ServerResponse; post?: ServerResponse } = {};
    const server = await startTestHttp(({ method }, response) => {
      open[method === "GET" ? "push" : "post"] = stream(response);
    });
    const { transport, lost, ...received } = openHttp(server.url);
    transport.openPushStream(VERSION);
    const sent = transport.send(request(1));
    await eventually(() => expect(open.push && open.post).toBeDefined());
    open.push!.write(sseEvent(result(1)));
    await sent;
    expect(messageTexts({ lost, ...received })).toEqual(["done"]);
    expect(lost.size).toBe(0);
    await eventually(() => expect(open.post!.destroyed).toBe(true));
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["ends", (response) => response.end()],
    ["breaks", (response) => response.destroy()],
  ])("is reopened after the last event when it %s", { meta: { covers: ["F31"] } }, async (_, end) => {
    const { server, gets } = await pushing(
      (response) =>
        void stream(response).write(sseEvent(logNotification("1"), { id: "p1", retry: 1 }), () => end(response)),
      (response) =>
        void stream(
          response,
          sseEvent(logNotification("1"), { id: "p1" }) + sseEvent(logNotification("2"), { id: "p2" }),
        ),
    );
    const { transport, ...received } = openHttp(server.url);
    transport.openPushStream(VERSION);
    await eventually(() => expect(messageTexts(received)).toEqual(["1", "2"]));
    expect(gets().map((headers) => headers["last-event-id"])).toEqual([undefined, "p1"]);
  });

  it(
    "is reopened while the server is unreachable, at increasing intervals",
    { meta: { covers: ["F31"] } },
    async () => {
      const clock = new ManualClock();
      const { server, gets } = await pushing((response) => void response.destroy());
      const { transport } = openHttp(server.url, { clock, random: () => 0 });
      transport.openPushStream(VERSION);
      for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
        await eventually(() => expect(clock.pendingTimers).toBe(1));
        const before = gets().length;
        clock.advance(ms - 1);
        expect(clock.pendingTimers).toBe(1);
        clock.advance(1);
        await eventually(() => expect(gets()).toHaveLength(before + 1));
      }
    },
  );

  it("is reopened after the initial delay again if it has delivered an event", async () => {
    const clock = new ManualClock();
    const { server, gets } = await pushing(
      (response) => void response.destroy(),
      (response) => void response.destroy(),
      (response) => void stream(response).end(sseEvent(logNotification("in order"))),
      silent,
    );
    const { transport } = openHttp(server.url, { clock, random: () => 0 });
    transport.openPushStream(VERSION);
    for (const ms of [1000, 2000, 1000]) {
      await eventually(() => expect(clock.pendingTimers).toBe(1));
      clock.advance(ms - 1);
      expect(clock.pendingTimers).toBe(1);
      clock.advance(1);
    }
    await eventually(() => expect(gets()).toHaveLength(4));
  });

  it("is reopened after the time that an overloaded server asks for", async () => {
    const clock = new ManualClock();
    const { server, gets } = await pushing(
      (response) => void response.writeHead(503, { "retry-after": "60" }).end(),
      silent,
    );
    const { transport } = openHttp(server.url, { clock, random: () => 0 });
    transport.openPushStream(VERSION);
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    clock.advance(59_999);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);
    await eventually(() => expect(gets()).toHaveLength(2));
  });

  it.each([400, 401, 404, 405, 500])("is not reopened after a rejection with status %i", async (status) => {
    const clock = new ManualClock();
    let ended: Promise<unknown> = Promise.resolve();
    const { server, gets } = await pushing((response) => {
      ended = new Promise((resolve) => response.once("close", resolve));
      response.writeHead(status).end();
    });
    const { transport, lost } = openHttp(server.url, { clock });
    transport.openPushStream(VERSION);
    await eventually(() => expect(gets()).toHaveLength(1));
    await ended;
    await transport.send(request(1));
    expect(clock.pendingTimers).toBe(0);
    expect(gets()).toHaveLength(1);
    expect(lost.size).toBe(0);
  });

  it("is replaced for each new session", async () => {
    const open = new Set<ServerResponse>();
    const { server, gets } = await pushing((response) => {
      open.add(stream(response));
      response.once("close", () => open.delete(response));
    });
    const { transport } = openHttp(server.url);
    transport.openPushStream(VERSION);
    await eventually(() => expect(open.size).toBe(1));
    await transport.send(request(1));
    transport.openPushStream(VERSION);
    await eventually(() => expect(gets()).toHaveLength(2));
    expect(gets()[1]).toMatchObject({ "mcp-session-id": "s1" });
    await eventually(() => expect(open.size).toBe(1));
  });

  it("reconnects after an event over the size limit, without asking for that event again", async () => {
    const { server, gets } = await pushing((response, { headers }) => {
      if (headers["last-event-id"] === "1") return void stream(response, `id: 2\ndata: ${"x".repeat(2000)}\n\n`);
      stream(response, sseEvent(logNotification("small"), { id: "1", retry: 1 }));
      response.end();
    });
    const { transport } = openHttp(server.url, { maxMessageBytes: 1000, random: () => 1 });
    transport.openPushStream(VERSION);
    await eventually(() =>
      expect(gets().map((headers) => headers["last-event-id"])).toEqual([undefined, "1", undefined]),
    );
  });

  it("is closed with the transport", async () => {
    let closed = false;
    const { server } = await pushing((response) => void stream(response).once("close", () => (closed = true)));
    const clock = new ManualClock();
    const { transport } = openHttp(server.url, { clock });
    transport.openPushStream(VERSION);
    await eventually(() => expect(server.requests).toHaveLength(1));
    await transport.close();
    await eventually(() => expect(closed).toBe(true));
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["while it is open", (response) => void stream(response)],
    ["while it waits to be reopened", (response) => stream(response).end(sseEvent("", { id: "1", retry: 60_000 }))],
  ])("does not keep the process alive %s", async (_, onGet) => {
    let pushed: () => void = () => {};
    const opened = new Promise<void>((resolve) => (pushed = resolve));
    const server = await startTestHttp(async ({ method }, response) => {
      if (method === "GET") {
        onGet(response);
        return pushed();
      }
      await opened;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(1)));
    });
    const program = `
      import { HttpTransport } from ${JSON.stringify(import.meta.resolve("#transport/streamable-http/http-transport.js"))};
      process.once("exit", (code) => console.log("exit code", code));
      const options = { server: "x", url: ${JSON.stringify(server.url)}, headers: {}, maxMessageBytes: 1e6, env: {} };
      const transport = new HttpTransport(options);
      transport.start({ message() {}, requestFailed() {}, closed() {} });
      transport.openPushStream({});
      await transport.send({ jsonrpc: "2.0", id: 1, method: "x" });
    `;
    const child = startFixture({ command: process.execPath, args: ["--input-type=module", "-e", program] });
    onTestFinished(() => child.close());
    await child.stdout.waitFor("exit code 0", 15_000);
  });
});
