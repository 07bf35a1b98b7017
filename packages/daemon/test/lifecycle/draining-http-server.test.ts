/** Tests how long connections stay open, over real sockets. */
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { DrainingHttpServer } from "#http/draining-http-server.js";
import type { DrainingHttpServerOptions } from "#http/draining-http-server.js";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const HALF_REQUEST = "GET / HTTP/1.1\r\nHost:";

async function listen(options?: DrainingHttpServerOptions): Promise<number> {
  const { server } = new DrainingHttpServer(async (_, response) => void response.end("ok"), options);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function request(socket: Socket): Promise<string> {
  socket.write(REQUEST);
  const [response] = (await once(socket, "data")) as [string];
  return response;
}

/** Resolves with the last text of a connection that the server closes. */
async function closed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: string) => (text += chunk));
  await once(socket, "close");
  return text;
}

describe("DrainingHttpServer", { meta: { covers: ["F54"] } }, () => {
  it("keeps an unused connection open for 20 s longer than the 75 s that it names to clients", async () => {
    const { server } = new DrainingHttpServer(async () => {});
    expect(server.keepAliveTimeout).toBe(95_000);
    expect(await request(await open(await listen()))).toMatch(/^connection: keep-alive\r\nkeep-alive: timeout=75\r$/im);
  });

  it("answers a request on a connection that has been unused for longer than the named time", async () => {
    const socket = await open(await listen({ keepAlive: { advertisedMs: 1000, closedAfterMs: 30_000 } }));
    expect(await request(socket)).toMatch(/^keep-alive: timeout=1\r$/im);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await request(socket)).toMatch(/^HTTP\/1.1 200 /);
  });

  it("closes a connection that is not used", async () => {
    const socket = await open(await listen({ keepAlive: { advertisedMs: 0, closedAfterMs: 50 } }));
    await request(socket);
    expect(await closed(socket)).toBe("");
  });

  it("closes new and used connections whose headers arrive slowly, and keeps unused connections for longer", async () => {
    const port = await listen({ headersTimeout: 500, requestTimeout: 1000, connectionsCheckingInterval: 50 });
    const unused = await open(port);
    await request(unused);
    for (const isUsed of [false, true]) {
      const slow = await open(port);
      if (isUsed) await request(slow);
      const rest = closed(slow);
      slow.write(HALF_REQUEST);
      expect(await rest).toMatch(/^HTTP\/1.1 408 /);
    }
    expect(await request(unused)).toMatch(/^HTTP\/1.1 200 /);
  });
});
