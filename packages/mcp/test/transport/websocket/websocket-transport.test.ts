/** Tests the WebSocket transport with real servers: the `ws` package, faulty servers and supergateway. */
import { openWebSocket } from "#transport/websocket/websocket-transport.js";
import type { WebSocketTransportOptions } from "#transport/websocket/websocket-transport.js";
import type { ParsedMessage, Message } from "#wire/message.js";
import type { HostError } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import { freePort } from "@plugboard/testkit/free-port";
import { legacySdkServer } from "@plugboard/testkit/sdk-server-objects";
import { everythingStdio } from "@plugboard/testkit/start-server";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import type { ServerOptions, WebSocket } from "ws";
import { expectSuspended, call, expectText } from "../../helpers/connect.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { openSessionOn } from "../../helpers/open-session-on.ts";

const MIB = 1024 * 1024;
const request = (params = {}): Message => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}';

/** Starts a server that handles each client as the test says. */
async function serve(onClient: (client: WebSocket, request: IncomingMessage) => void, options: ServerOptions = {}) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...options });
  await once(server, "listening");
  server.on("connection", onClient);
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return urlOf(server.address() as AddressInfo);
}

async function listen(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return urlOf(server.address() as AddressInfo);
}

const urlOf = ({ port }: AddressInfo) => `ws://127.0.0.1:${port}/message`;

function connect(url: string, options: Partial<WebSocketTransportOptions> = {}) {
  return openWebSocket({ server: "tested", url, headers: {}, clock: systemClock, maxMessageBytes: MIB, ...options });
}

async function open(url: string, options: Partial<WebSocketTransportOptions> = {}) {
  const transport = await connect(url, options);
  onTestFinished(() => transport.close());
  const received: ParsedMessage[] = [];
  const closed: HostError[] = [];
  transport.start({
    message: (incoming) => received.push(incoming),
    requestFailed: () => {},
    closed: (error) => closed.push(error),
  });
  return { transport, received, closed, ended: () => vi.waitFor(() => expect(closed).toHaveLength(1), 10_000) };
}

describe("A message over WebSocket", () => {
  it("is one text frame in both directions", async () => {
    const frames: { data: string; isBinary: boolean }[] = [];
    const url = await serve((client) =>
      client.on("message", (data: Buffer, isBinary) => {
        frames.push({ data: data.toString(), isBinary });
        client.send(answer);
      }),
    );
    const { transport, received } = await open(url);
    await transport.send(request({ text: "é\n" }));
    await vi.waitFor(() => expect(received).toMatchObject([{ type: "result", message: { id: 1 } }]));
    expect(frames).toEqual([{ data: JSON.stringify(request({ text: "é\n" })), isBinary: false }]);
  });

  it("may arrive in many frames, or in the same turn in which the connection opens", async () => {
    const url = await serve((client) => {
      client.send(answer.slice(0, 10), { fin: false });
      client.send(answer.slice(10), { fin: true });
      client.send("hello");
    });
    const { received } = await open(url);
    await vi.waitFor(() =>
      expect(received).toMatchObject([{ type: "result" }, { type: "malformed", looksLike: "noise" }]),
    );
  });

  it("is rejected if it is not JSON", async () => {
    const { transport } = await open(await serve(() => {}));
    await expect(transport.send(request({ big: 1n }))).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });
});

describe("The WebSocket upgrade", () => {
  it("sends the subprotocol and the configured headers, and offers no compression", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const url = await serve((_client, { headers }) => seen.push(headers), { perMessageDeflate: true });
    await open(url, { headers: { authorization: "Bearer canary" } });
    expect(seen).toMatchObject([{ "sec-websocket-protocol": "mcp", authorization: "Bearer canary" }]);
    expect(seen[0]).not.toHaveProperty("sec-websocket-extensions");
  });

  it("succeeds if the server does not return the subprotocol", async () => {
    const url = await serve((client) => client.send(answer), { handleProtocols: () => false });
    const { received } = await open(url);
    await vi.waitFor(() => expect(received).toHaveLength(1));
  });

  it.each<[string, number, object]>([
    ["401", 401, { code: "AUTH_REQUIRED", details: { server: "tested" } }],
    ["403", 403, { code: "UNEXPECTED_RESPONSE", details: { status: 403 } }],
    ["404", 404, { code: "UNEXPECTED_RESPONSE", details: { status: 404 } }],
    ["200", 200, { code: "UNEXPECTED_RESPONSE", details: { status: 200 } }],
    ["503", 503, { code: "UNEXPECTED_RESPONSE", details: { status: 503 } }],
  ])("fails with the right error code for HTTP status %s", async (_, status, error) => {
    const refuse: RequestListener = (_request, response) => void response.writeHead(status).end("<html>");
    await expect(connect(await listen(createServer(refuse)))).rejects.toMatchObject(error);
  });

  it.each([301, 302, 307, 308])("does not follow a redirect with status %s", async (status) => {
    let otherServer = 0;
    const location = await serve(() => (otherServer += 1));
    const redirect: RequestListener = (_request, response) => void response.writeHead(status, { location }).end();
    const url = await listen(createServer(redirect));
    await expect(connect(url, { headers: { authorization: "Bearer canary" } })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { status },
    });
    expect(otherServer).toBe(0);
  });

  it("fails when the server does not accept the connection in time", async () => {
    const clock = new ManualClock();
    const silent = createTcpServer();
    const accepted = once(silent, "connection");
    const refused = connect(await listen(silent), { clock, openTimeoutMs: 5000 });
    const [socket] = (await accepted) as [Socket];
    clock.advance(5000);
    await expect(refused).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
    await once(socket.resume(), "close");
    expect(clock.pendingTimers).toBe(0);
  });

  it("is cancelled by its signal", async () => {
    const sockets: Socket[] = [];
    const url = await listen(createTcpServer((socket) => sockets.push(socket.resume())));
    const abort = new AbortController();
    const opening = connect(url, { signal: abort.signal });
    await vi.waitFor(() => expect(sockets).toHaveLength(1));
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await vi.waitFor(() => expect(sockets[0]!.destroyed).toBe(true));
    await expect(connect(url, { signal: abort.signal })).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  });

  it("distinguishes a response that is not HTTP from no response", async () => {
    const url = await listen(createTcpServer((socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n")));
    await expect(connect(url)).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    const closed = `ws://127.0.0.1:${await freePort()}/`;
    await expect(connect(closed)).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  });

  it.each<[string, () => Server]>([
    ["a server without TLS", () => createServer()],
    ["a server without a certificate", () => createTlsServer()],
  ])("fails with TLS_FAILED for %s", async (_, make) => {
    const url = (await listen(make())).replace("ws:", "wss:");
    await expect(connect(url)).rejects.toMatchObject({ code: "TLS_FAILED" });
  });

  it.each([
    ["URL", { url: "ftp://user:canary@127.0.0.1/" }],
    ["header", { headers: { "x-key": "canary\n" } }],
  ])("rejects an invalid %s without quoting it", async (_, invalidOption) => {
    const error: unknown = await connect("ws://127.0.0.1:1/", invalidOption).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SERVER_INVALID" });
    expect(inspect(error)).not.toContain("canary");
  });
});

describe("The end of a WebSocket connection", () => {
  it.each<[string, (client: WebSocket) => void, RegExp]>([
    ["without a close frame", (client) => client.terminate(), /1006/],
    ["with a close code and a reason", (client) => client.close(1001, "going away"), /1001, “going away”/],
    ["after an invalid frame", (client) => socketOf(client).write("HTTP/1.1 400\r\n\r\n"), /./],
  ])("is reported once (%s)", async (_, end, reason) => {
    const { closed, ended, transport } = await open(await serve(end));
    await ended();
    expect(closed).toMatchObject([{ code: "CONNECTION_LOST", details: { reason: expect.stringMatching(reason) } }]);
    await expect(transport.send(request())).resolves.toBeUndefined();
  });

  it("is reported on `start` if the connection has ended before", async () => {
    let client!: WebSocket;
    const transport = await connect(await serve((accepted) => (client = accepted)));
    onTestFinished(() => transport.close());
    socketOf(client).resetAndDestroy();
    // A paused socket detects the end only when data is written to it.
    await expect(transport.send(request())).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await vi.waitFor(() => transport.send(request()));
    const closed = vi.fn();
    transport.start({ message: () => {}, requestFailed: () => {}, closed });
    expect(closed).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });

  it.each<[string, (client: WebSocket) => void]>([
    ["in one frame", (client) => client.send("x".repeat(MIB + 1))],
    [
      "in many frames",
      (client) => {
        for (let count = 0; count < 20; count++) client.send("x".repeat(MIB / 10), { fin: false });
      },
    ],
  ])("is reported as MESSAGE_TOO_LARGE after a message over the size limit %s", async (_, send) => {
    const { closed, ended } = await open(await serve(send));
    await ended();
    expect(closed).toMatchObject([{ code: "MESSAGE_TOO_LARGE", details: { limitBytes: MIB } }]);
  });

  it("`close` sends a close frame and waits for the server's close frame", async () => {
    const codes: number[] = [];
    const { transport, closed } = await open(await serve((client) => client.on("close", (code) => codes.push(code))));
    await transport.close();
    await transport.close();
    await vi.waitFor(() => expect(codes).toEqual([1000]));
    expect(closed).toEqual([]);
  });

  it("`close` does not wait long for a server that does not answer the close frame", async () => {
    const clock = new ManualClock();
    const { transport } = await open(await listen(acceptSilently()), { clock });
    let socketClosed = false;
    const closing = transport.close().then(() => (socketClosed = true));
    clock.advance(1999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(socketClosed).toBe(false);
    clock.advance(1);
    await closing;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("The keep-alive of a WebSocket", () => {
  it("detects a server that does not answer pings", async () => {
    const { closed, ended } = await open(await listen(acceptSilently()), { keepAliveMs: 50 });
    await ended();
    expect(closed).toMatchObject([{ code: "CONNECTION_LOST", details: { reason: expect.stringContaining("ping") } }]);
  });

  it("keeps a connection open whose server answers pings", async () => {
    const clock = new ManualClock();
    // The server sends the message after its pong, so the pong has arrived when the message arrives.
    const url = await serve((client) => client.on("ping", () => client.send(answer)));
    const { closed, received } = await open(url, { keepAliveMs: 1000, clock });
    for (let pings = 1; pings <= 5; pings++) {
      clock.advance(1000);
      await vi.waitFor(() => expect(received).toHaveLength(pings), 10_000);
    }
    expect(closed).toEqual([]);
  });
});

it("WebSocketTransport limits the pongs for a server that does not read them", { timeout: 60_000 }, async () => {
  const flood = 200_000;
  let [clientSide, pongs]: [WebSocket | undefined, number] = [undefined, 0];
  const url = await serve((client) => {
    clientSide = client.on("pong", () => (pongs += 1));
    client.ping("first");
  });
  const { transport, received } = await open(url);
  await vi.waitFor(() => expect(pongs).toBe(1));
  socketOf(clientSide!).pause();
  for (let count = 0; count < flood; count++) clientSide!.ping("x".repeat(125));
  clientSide!.send(answer);
  await vi.waitFor(() => expect(received).toHaveLength(1), 20_000);
  socketOf(clientSide!).resume();
  const messageReceived = new Promise((resolve) => clientSide!.once("message", resolve));
  await transport.send(request());
  await messageReceived;
  expect(pongs).toBeGreaterThan(100);
  expect(pongs).toBeLessThan(flood);
});

it("WebSocketTransport limits the messages for a server that does not read", async () => {
  const url = await serve((client) => socketOf(client).pause());
  const { transport } = await open(url);
  const refused: unknown[] = [];
  for (let count = 0; count < 20; count++) {
    transport.send(request({ text: "x".repeat(5 * MIB) })).catch((error: unknown) => refused.push(error));
  }
  await vi.waitFor(() => expect(refused.length).toBeGreaterThan(5));
  for (const error of refused) expect(error).toMatchObject({ code: "SERVER_NOT_READING" });
});

describe("A session over WebSocket", () => {
  it("works with a server of the official SDK", async () => {
    const url = await serve((client) => {
      const side = {
        onmessage: (_message: unknown) => {},
        start: () =>
          Promise.resolve(client.on("message", (data: Buffer) => side.onmessage(JSON.parse(data.toString())))),
        send: (message: unknown) => Promise.resolve(client.send(JSON.stringify(message))),
        close: () => Promise.resolve(client.close()),
      };
      void legacySdkServer().server.connect(side as never);
    });
    const session = await openSessionOn(() => connect(url));
    expect(expectText(await call(session, "echo", { text: "hi" }))).toBe("hi");
    const suspended = expectSuspended(await call(session, "ask"));
    const [key = ""] = Object.keys(suspended.asks);
    expect(expectText(await suspended.resume({ [key]: { action: "decline" } }, {}))).toContain("decline");
  });

  it("works with the everything server behind supergateway", { meta: { covers: ["R3.18", "R3.78"] } }, async () => {
    const port = await freePort();
    const script = fileURLToPath(import.meta.resolve("supergateway/dist/index.js"));
    const { command, args } = everythingStdio();
    const stdio = [command, ...args].map((word) => `"${word}"`).join(" ");
    const gateway = await new Processes(systemClock).start({
      server: "supergateway",
      command,
      args: [script, "--stdio", stdio, "--outputTransport", "ws", "--port", String(port)],
      cwd: process.cwd(),
      env: {},
    });
    onTestFinished(() => gateway.stop());
    const url = `ws://127.0.0.1:${port}/message`;
    const transport = await vi.waitFor(() => connect(url), { timeout: 15_000, interval: 100 });
    const session = await openSessionOn(() => Promise.resolve(transport));
    expect(session).toMatchObject({ era: "legacy", serverInfo: { capabilities: { tools: true } } });
    expect(expectText(await call(session, "get-sum", { a: 2, b: 3 }))).toContain("5");
    const echoes = await Promise.all(["a", "b", "c"].map((message) => call(session, "echo", { message })));
    expect(echoes.map(expectText)).toEqual(["Echo: a", "Echo: b", "Echo: c"]);
  });
});

/** Accepts a WebSocket and then sends nothing. */
function acceptSilently() {
  return createServer().on("upgrade", ({ headers }: IncomingMessage, socket: Socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`,
    );
    socket.on("error", () => {}).resume();
    onTestFinished(() => void socket.destroy());
  });
}

/** Returns the socket under a `ws` client. */
function socketOf(client: WebSocket): Socket {
  return (client as unknown as { _socket: Socket })._socket;
}
