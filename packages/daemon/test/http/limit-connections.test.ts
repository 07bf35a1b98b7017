/** Tests the limits of the TCP port that keep one client from using up its connections. */
import { EventEmitter, once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { addNamedToken } from "@plugboard/host/tokens";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { limitConnections } from "#http/limit-connections.js";
import { OpenRequests } from "#http/open-requests.js";
import { connectionLimit, connectionsFor, DrainingHttpServer } from "#http/draining-http-server.js";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Starts a server with the limit. Requests are authenticated, unless their path begins with `/stranger`. */
async function listen(
  limit: number,
  handle: (path: string, response: ServerResponse) => void,
  { unreadMs, giveWay }: { unreadMs?: number; giveWay?: (limit: number) => Socket | undefined } = {},
) {
  const listener: RequestListener = (request, response) => {
    if (!request.url!.startsWith("/stranger")) keepConnection(response);
    handle(request.url!, response);
  };
  const server = createServer(listener).on("checkContinue", listener);
  const keepConnection = limitConnections(server, limit, giveWay, unreadMs);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

const SLOW_BODY = "POST /stranger HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{";
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Resolves with the name of the connection that closes first. */
const firstClosed = (sockets: { readonly [name: string]: Socket }) =>
  Promise.race(Object.entries(sockets).map(([name, socket]) => once(socket, "close").then(() => name)));

describe("limitConnections", { meta: { covers: ["S23"] } }, () => {
  it("replaces the oldest connection that has sent no request, and keeps connections that wait for a response", async () => {
    let answerFirst = () => {};
    const { server, port } = await listen(2, (path, response) => {
      if (path === "/wait") answerFirst = () => response.end("late");
      else response.end("ok");
    });
    const waiting = await open(port);
    waiting.write(get("/wait"));
    await once(server, "request");
    const silent = await open(port);
    const closed = once(silent, "close");
    const other = await open(port);
    other.write(get("/"));
    expect(String((await once(other, "data"))[0])).toContain("200 OK");
    await closed;
    answerFirst();
    expect(String((await once(waiting, "data"))[0])).toContain("200 OK");
  });

  it("replaces a connection that has sent no request before one that waits for its next request", async () => {
    let answered = Promise.resolve<unknown>(undefined);
    const { port } = await listen(2, (_path, response) => {
      answered = once(response, "close");
      response.end("ok");
    });
    const idle = await open(port);
    idle.write(get("/"));
    await once(idle, "data");
    await answered;
    const silent = await open(port);
    const closed = firstClosed({ silent, idle });
    await open(port);
    expect(await closed).toBe("silent");
    idle.write(get("/"));
    expect(String((await once(idle, "data"))[0])).toContain("200 OK");
  });

  it(
    "replaces connections with unauthenticated requests, oldest first, before one that waits for its next request",
    { meta: { covers: ["S32", "S33"] } },
    async () => {
      let answered = Promise.resolve<unknown>(undefined);
      let calls = 0;
      const giveWay = vi.fn(() => undefined);
      const handle = (path: string, response: ServerResponse) => {
        if (path === "/call") calls += 1;
        if (path !== "/") return;
        answered = once(response, "close");
        response.end("ok");
      };
      const { server, port } = await listen(4, handle, { giveWay });
      const idle = await open(port);
      idle.write(get("/"));
      await once(idle, "data");
      await answered;
      const calling = await open(port);
      calling.write(get("/call"));
      await once(server, "request");
      const slow = await open(port);
      slow.write(SLOW_BODY);
      await once(server, "request");
      const silent = await open(port);
      // `silent` has just connected, so it stays. The older stranger, which sends its request slowly, is closed first.
      const first = firstClosed({ idle, calling, slow, silent });
      (await open(port)).write(get("/call"));
      expect(await first).toBe("slow");
      const second = firstClosed({ idle, calling, silent });
      (await open(port)).write(get("/call"));
      expect(await second).toBe("silent");
      await vi.waitFor(() => expect(calls).toBe(3));
      const closed = firstClosed({ idle, calling });
      await open(port);
      expect(await closed).toBe("idle");
      expect(giveWay).not.toHaveBeenCalled();
    },
  );

  it("keeps a connection for an authenticated request behind an unauthenticated one, until both have ended", async () => {
    const responses: ServerResponse[] = [];
    const { port } = await listen(1, (_path, response) => responses.push(response));
    const client = (await open(port)).resume();
    client.write(get("/stranger") + get("/call"));
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    await once(await open(port), "close");
    for (const response of responses) response.end("ok");
    await once(responses[1]!, "close");
    const closed = once(client, "close");
    await open(port);
    await closed;
  });

  it("gives the place of a connection that its client has closed to the next one, without closing another one", async () => {
    const { server, port } = await listen(2, (_path, response) => response.end("ok"));
    const use = async () => {
      const client = await open(port);
      client.write(get("/"));
      const [{ socket }] = (await once(server, "request")) as [IncomingMessage];
      await once(client, "data");
      return { client, socket };
    };
    const [{ client: kept }, gone] = [await use(), await use()];
    gone.client.destroy();
    await once(gone.socket, "close");
    await use();
    kept.write(get("/"));
    const ended = once(kept, "close").then(() => "closed");
    expect(String(await Promise.race([once(kept, "data"), ended]))).toContain("200 OK");
  });

  it("keeps a connection with two requests until both are answered", async () => {
    const responses: ServerResponse[] = [];
    const { port } = await listen(1, (_path, response) => responses.push(response));
    const client = (await open(port)).resume();
    client.write(get("/one") + get("/two"));
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    responses[0]!.end("ok");
    await once(responses[0]!, "close");
    const refused = await open(port);
    expect(await firstClosed({ client, refused })).toBe("refused");
    responses[1]!.end("ok");
    await once(responses[1]!, "close");
    const next = await open(port);
    expect(await firstClosed({ client, next })).toBe("client");
  });

  it(
    "keeps the connection of a call whose client asks (Expect: 100-continue) before it sends the body",
    { meta: { covers: ["S33"] } },
    async () => {
      const { server, port } = await listen(1, () => {});
      const calling = await open(port);
      calling.write("POST /call HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      await once(server, "checkContinue");
      const refused = await open(port);
      expect(await firstClosed({ calling, refused })).toBe("refused");
    },
  );

  it("replaces a different connection for each of several new ones that arrive at once", () => {
    const server = new EventEmitter();
    limitConnections(server as Server, 2, () => undefined);
    const destroyed: number[] = [];
    // In this test, a destroyed connection is closed only after all connections have arrived.
    for (let number = 0; number < 5; number++) {
      server.emit("connection", Object.assign(new EventEmitter(), { destroy: () => destroyed.push(number) }));
    }
    expect(destroyed).toEqual([0, 1, 2]);
  });

  it(
    "ends the oldest request of the principal with the most requests if all connections wait for a response",
    { meta: { covers: ["S33"] } },
    async () => {
      const openRequests = new OpenRequests(3);
      const disconnected: string[] = [];
      const { server, port } = await listen(
        4,
        (path, response) => {
          if (path === "/owner") return void response.end("ok");
          const [, principal = ""] = path.split("/");
          openRequests.add(principal, response);
          if (path.endsWith("/stream")) response.writeHead(200).flushHeaders();
          response.once("close", () => response.writableFinished || disconnected.push(path));
        },
        { giveWay: (limit) => openRequests.giveWay(limit) },
      );
      const received = new Map<string, string>();
      const send = async (path: string) => {
        const socket = await open(port);
        socket.on("data", (data) => received.set(path, (received.get(path) ?? "") + String(data)));
        const sent = once(server, "request");
        socket.write(get(path));
        await sent;
      };
      for (const path of ["/few/1", "/many/1", "/many/stream", "/many/3", "/owner"]) await send(path);
      await vi.waitFor(() => expect(received.get("/owner")).toContain("200 OK"));
      await vi.waitFor(() =>
        expect(received.get("/many/1")).toMatch(/^HTTP\/1.1 429 [^]*retry-after: 1\r\n[^]*"TOO_MANY_REQUESTS"/),
      );
      expect(received.get("/many/1")).toContain("All 4 connections are in use, and this token has most open requests");
      // Replaces the owner's connection, which waits for the next request.
      await send("/other/1");
      await send("/other/2");
      await vi.waitFor(() => expect(disconnected).toEqual(["/many/1", "/many/stream"]));
      expect([...received.keys()].sort()).toEqual(["/many/1", "/many/stream", "/owner"]);
    },
  );

  it("closes a new connection if all others wait for a response", async () => {
    const { server, port } = await listen(1, () => {});
    (await open(port)).write(get("/"));
    await once(server, "request");
    await once(await open(port), "close");
  });
});

it(
  "OpenRequests ends a different request for each of several connections that arrive at once",
  { meta: { covers: ["S33"] } },
  () => {
    const openRequests = new OpenRequests(3);
    const ended: string[] = [];
    for (const path of ["many 1", "many 2", "few 1"]) {
      const socket = { write: () => true, destroySoon: () => ended.push(path) };
      const response = Object.assign(new EventEmitter(), { req: { socket }, headersSent: true });
      openRequests.add(path.split(" ")[0]!, response as unknown as ServerResponse);
    }
    // In this test, an ended request is closed only after all connections have arrived.
    for (let connection = 0; connection < 3; connection++) expect(openRequests.giveWay(3)).toBeDefined();
    expect(ended).toEqual(["many 1", "many 2", "few 1"]);
    expect(openRequests.giveWay(3)).toBeUndefined();
  },
);

describe("limitConnections with a client that does not read", () => {
  it("closes its connection if a large response makes no progress, and keeps another that waits for a response", async () => {
    let answerWaiting = () => {};
    const { server, port } = await listen(
      10,
      (path, response) => {
        if (path === "/wait") answerWaiting = () => response.end("late");
        else response.end(Buffer.alloc(64 * 1024 * 1024));
      },
      { unreadMs: 300 },
    );
    const waiting = await open(port);
    waiting.write(get("/wait"));
    await once(server, "request");
    const unread = await open(port);
    unread.pause();
    const closed = new Promise((resolve) => {
      server.once("request", ({ socket }: IncomingMessage) => socket.once("close", resolve));
    });
    unread.write(get("/large"));
    await closed;
    answerWaiting();
    expect(String((await once(waiting, "data"))[0])).toContain("200 OK");
  });

  it("closes a kept-alive connection after the usual time", async () => {
    const { server, port } = await listen(10, (_, response) => response.end("ok"));
    server.keepAliveTimeout = 100;
    const client = await open(port);
    client.on("data", () => {}).write(get("/"));
    await once(client, "close");
  });
});

describe("the port of a running host", { meta: { covers: ["S23"] } }, () => {
  const signIn = (host: string) =>
    `POST /page/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Length: 100\r\n\r\n{`;
  it.each([
    ["half a header", (host: string) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `],
    ["half a sign-in", signIn],
    ["half a sign-in, and wait", (host: string) => signIn(host).replace("\r\n", "\r\nExpect: 100-continue\r\n")],
  ])(
    "serves the owner and ends no call while a thousand connections have sent %s",
    { timeout: 60_000, meta: { covers: ["S32", "S33"] } },
    async (_, textFor) => {
      const running = await startRunningHost({ s: scriptedLegacy() });
      onTestFinished(running.close);
      const client = frontWith(running, await addNamedToken(running.env, { name: "c", mayApprove: true, now: 0 }));
      const session = await client.open();
      const send = (id: number, tool: string) =>
        client.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: {} } }, { session });
      const call = send(1, "s__hold").then((response) => response.text());
      await vi.waitFor(async () => expect(await running.daemon.workspace.status()).toMatchObject([{ state: "ready" }]));
      const { host, port } = new URL(running.url);
      const limit = await connectionLimit();
      // Connects one after the other, because the system's backlog is limited.
      for (let count = 0; count < limit + 10; count++) {
        const stranger = await open(Number(port));
        // The response to the first request shows that the host has seen the second.
        stranger.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n${textFor(host)}`);
        await Promise.race([once(stranger, "data"), once(stranger, "close")]);
      }
      expect((await fetch(new URL("/healthz", running.url))).status).toBe(200);
      expect((await frontWith(running, running.token).initialize()).status).toBe(200);
      await running.daemon.workspace.tools.call({ server: "s", tool: "release" }, {});
      expect(await call).toContain("let go");
    },
  );

  it("answers 429 to a token with too many open requests, and still serves others", { timeout: 60_000 }, async () => {
    const running = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(running.close);
    const [flooding, calm] = await Promise.all(
      ["flooding", "calm"].map(async (name) =>
        frontWith(running, await addNamedToken(running.env, { name, mayApprove: true, now: 0 })),
      ),
    );
    const session = await flooding!.open();
    const limit = Math.floor((await connectionLimit()) / 4);
    const params = { name: "s__hold", arguments: {} };
    const calls = Array.from({ length: limit + 1 }, (_, id) =>
      flooding!.send({ jsonrpc: "2.0", id: id + 100, method: "tools/call", params }, { session }),
    );
    for (const call of calls) call.then((response) => response.text()).catch(() => {});
    const refused = await new Promise<Response>((resolve) => {
      for (const call of calls)
        void call.then((response) => response.status === 429 && resolve(response)).catch(() => {});
    });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await calm!.initialize()).status).toBe(200);
    expect((await flooding!.ping({ session })).status).toBe(429);
  });
});

it("docs/gateway.md has the limit of open requests for each token", async () => {
  const page = await readFile(new URL("../../../../docs/gateway.md", import.meta.url), "utf8");
  const row = page.split("\n").find((line) => line.startsWith("| unanswered requests and open streams"));
  const all = connectionsFor(Infinity);
  const spaced = all.toLocaleString("en").replaceAll(",", " ");
  expect(row).toContain(`${Math.floor(all / 4)} for each token, ${spaced} in all`);
});

it("DrainingHttpServer gives a client ten seconds for the headers and a minute for the request", () => {
  const { server } = new DrainingHttpServer(async () => {});
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 60_000 });
});
