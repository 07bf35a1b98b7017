/** Tests how requests use connections to the host. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeHttpFetch } from "@plugboard/remote/node";
import type { RemoteResponse } from "#http/fetch-like.js";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const fetch = nodeHttpFetch({ host: "127.0.0.1", port, token: "t" });
  return { fetch, server, connections: () => connections };
}

/** Returns the sockets that this process opens during the test. */
function openedSockets(): Socket[] {
  const sockets: Socket[] = [];
  const add = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe("net.client.socket", add);
  onTestFinished(() => void unsubscribe("net.client.socket", add));
  return sockets;
}

async function bodyOf({ body }: RemoteResponse): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

describe("requests to the host", () => {
  it("send the token, the headers and the body", async () => {
    const { fetch } = await serve((request, response) => {
      request.setEncoding("utf8").on("data", (body: string) => {
        response.end(
          `${request.method} ${request.url} ${request.headers.authorization} ${String(request.headers["x-a"])} ${body}`,
        );
      });
    });
    const response = await fetch("/path", { method: "POST", headers: { "x-a": "1" }, body: "Zoë" });
    expect(await bodyOf(response)).toBe("POST /path Bearer t 1 Zoë");
  });

  it("use one connection one after the other, and two connections at the same time", async () => {
    const { fetch, connections } = await serve((_request, response) => void response.end("ok"));
    for (let count = 0; count < 3; count++) await bodyOf(await fetch("/", { method: "GET" }));
    expect(connections()).toBe(1);
    await Promise.all([fetch("/", { method: "GET" }).then(bodyOf), fetch("/", { method: "GET" }).then(bodyOf)]);
    expect(connections()).toBe(2);
  });

  it("use a new connection if the host has closed the old one", async () => {
    const { fetch, server, connections } = await serve((_request, response) => void response.end("ok"));
    const sockets = openedSockets();
    await bodyOf(await fetch("/", { method: "GET" }));
    const closed = once(sockets[0]!, "close");
    server.closeIdleConnections();
    await closed;
    expect(await bodyOf(await fetch("/", { method: "GET" }))).toBe("ok");
    expect(connections()).toBe(2);
  });

  it("fail with the reason of the signal, before and during the response", async () => {
    const { fetch } = await serve((request, response) => {
      if (request.url === "/body") response.write("begin");
    });
    for (const path of ["/head", "/body"]) {
      const aborting = new AbortController();
      const reading = fetch(path, { method: "GET", signal: aborting.signal }).then(bodyOf);
      setTimeout(() => aborting.abort(new Error("enough")), 20);
      await expect(reading).rejects.toThrow("enough");
    }
    const aborted = AbortSignal.abort(new Error("too late"));
    await expect(fetch("/", { method: "GET", signal: aborted })).rejects.toThrow("too late");
  });

  it("close the connection if the reader stops in the middle of a body", async () => {
    const { fetch, server } = await serve((_request, response) => void response.write("begin"));
    const [socket] = await Promise.all([
      once(server, "connection").then(([connection]) => connection as Socket),
      fetch("/", { method: "GET" }).then(async ({ body }) => {
        for await (const _ of body) break;
      }),
    ]);
    if (!socket.destroyed) await once(socket, "close");
    expect(socket.destroyed).toBe(true);
  });

  it("slow down a host that sends faster than the body is read", async () => {
    const size = 64 * 1024 * 1024;
    let taken = false;
    const { fetch } = await serve((request, response) => {
      if (request.url === "/ping") response.end();
      else response.end(Buffer.alloc(size, "x"), () => (taken = true));
    });
    const { body } = await fetch("/", { method: "GET" });
    // After these other requests, the host has had time to send all that it can.
    for (let count = 0; count < 500; count++) await bodyOf(await fetch("/ping", { method: "GET" }));
    expect(taken).toBe(false);
    let length = 0;
    for await (const chunk of body) length += chunk.length;
    expect(length).toBe(size);
  });

  it("reject headers with line breaks", async () => {
    const { fetch } = await serve((_request, response) => void response.end());
    const sending = async () => fetch("/", { method: "GET", headers: { "x-a": "1\r\nx-b: 2" } });
    await expect(sending()).rejects.toThrow("line break");
  });
});
