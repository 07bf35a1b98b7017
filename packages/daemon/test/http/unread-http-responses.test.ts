/** Tests that clients that do not read their responses can't fill the memory. */
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { addNamedToken } from "@plugboard/host/tokens";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UnreadHttpResponses } from "#http/unread-http-responses.js";
import { DrainingHttpServer } from "#http/draining-http-server.js";
import { frontWith } from "../helpers/front-requests.ts";
import { startScriptedModern } from "../../../gateway/test/helpers/scripted-modern.ts";
import { startRunningHost } from "../helpers/running-host.ts";

const MIB = 1024 * 1024;

/**
 * A server that answers `/<principal>/<MiB>` with that many bytes. If the path ends in `/late`, it answers after
 * `release` was called. If the path ends in `/endless`, the response does not end.
 */
async function listen(limit: number) {
  const unread = new UnreadHttpResponses(limit);
  const waiting = new Set<object>();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const { server, disconnect } = await start(async (path, response) => {
    const [, principal = "", size, kind] = path.split("/");
    unread.add(principal, response);
    if (kind === "late") {
      waiting.add(response);
      await released;
    }
    const bytes = Buffer.alloc(Number(size) * MIB);
    if (kind === "endless") response.write(bytes);
    else response.end(bytes);
  });
  onTestFinished(disconnect);
  return { port: (server.address() as AddressInfo).port, waiting, release };
}

async function start(handle: (path: string, response: Parameters<UnreadHttpResponses["add"]>[1]) => Promise<void>) {
  const listener = new DrainingHttpServer((incoming, response) => handle(incoming.url!, response));
  listener.server.listen(0, "127.0.0.1");
  await once(listener.server, "listening");
  const disconnect = async () => {
    listener.stopAccepting();
    await listener.disconnect();
  };
  return { server: listener.server, disconnect };
}

/** Sends a request and never reads the response. */
async function neverRead(port: number, path: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

const get = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

describe("UnreadHttpResponses", () => {
  it.each(["", "/endless"])(
    "refuses requests of a principal that reads nothing, and serves others (end of the path: %j)",
    async (kind) => {
      const { port } = await listen(32 * MIB);
      await Promise.all(Array.from({ length: 4 }, () => neverRead(port, `/greedy/16${kind}`)));
      await vi.waitFor(async () => expect((await get(port, "/greedy/0")).status).toBe(429));
      const { text } = await get(port, "/greedy/0");
      expect(text).toContain("Clients with this token have not read 33554432 bytes of responses.");
      expect((await get(port, "/calm/16")).status).toBe(200);
    },
  );

  it("serves a principal again when its clients have read their responses", async () => {
    const { port } = await listen(8 * MIB);
    const sockets = await Promise.all([neverRead(port, "/slow/16"), neverRead(port, "/slow/16")]);
    await vi.waitFor(async () => expect((await get(port, "/slow/0")).status).toBe(429));
    for (const socket of sockets) socket.resume();
    await vi.waitFor(async () => expect((await get(port, "/slow/0")).status).toBe(200));
  });

  it("ends the connections of responses that exceed twice the limit, but never the last connection", async () => {
    const { port, waiting, release } = await listen(MIB);
    const sockets = await Promise.all(Array.from({ length: 3 }, () => neverRead(port, "/greedy/16/late")));
    await vi.waitFor(() => expect(waiting.size).toBe(3));
    release();
    await vi.waitFor(async () => expect((await get(port, "/greedy/0")).status).toBe(429));
    const lengths = await Promise.all(sockets.map((socket) => readToEnd(socket, 16 * MIB)));
    expect(lengths.filter((length) => length >= 16 * MIB)).toHaveLength(1);
  });
});

/** Uses a much larger limit, because the operating system buffers a part of each response, which is not counted. */
describe("UnreadHttpResponses, between one and two times the limit", () => {
  /** At a limit of 32 MiB, leaves several responses of 24 MiB unread. Returns how many bytes of each arrive later. */
  async function lengthsOf(responses: number): Promise<number[]> {
    const { port, waiting, release } = await listen(32 * MIB);
    const sockets = await Promise.all(Array.from({ length: responses }, () => neverRead(port, "/greedy/24/late")));
    await vi.waitFor(() => expect(waiting.size).toBe(responses));
    release();
    await vi.waitFor(async () => expect((await get(port, "/greedy/0")).status).toBe(429));
    return Promise.all(sockets.map((socket) => readToEnd(socket, 24 * MIB)));
  }

  it("refuses new requests, but still sends the answers to earlier ones", async () => {
    expect((await lengthsOf(2)).filter((length) => length >= 24 * MIB)).toHaveLength(2);
  });

  it("ends a connection as soon as the answers exceed twice the limit", async () => {
    const whole = (await lengthsOf(4)).filter((length) => length >= 24 * MIB);
    expect([2, 3]).toContain(whole.length);
  });
});

/** Reads until the whole response has arrived or the connection has ended. Returns the number of bytes. */
function readToEnd(socket: Socket, size: number): Promise<number> {
  return new Promise((resolve) => {
    let length = 0;
    socket.on("data", (chunk) => {
      length += chunk.length;
      if (length >= size) resolve(length);
    });
    socket.once("close", () => resolve(length));
    socket.resume();
  });
}

it("a client of the gateway that reads no results is refused, and another one is served", async () => {
  const text = "x".repeat(15 * MIB);
  const server = await startScriptedModern(
    { tools: {} },
    {
      "tools/list": () => ({ tools: [{ name: "print", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [{ type: "text", text }] }),
    },
  );
  onTestFinished(() => server.close());
  const host = await startRunningHost({ s: { url: server.url } });
  onTestFinished(host.close);
  const tokenOf = (name: string) => addNamedToken(host.env, { name, mayApprove: true, now: 0 });
  const [greedy, calm] = [await tokenOf("greedy"), await tokenOf("calm")];
  const front = frontWith(host, greedy);
  const session = await front.open();
  const headers = {
    authorization: `Bearer ${greedy}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-session-id": session,
  };
  for (let id = 100; id < 110; id++) {
    const sent = request(host.url, { method: "POST", headers });
    onTestFinished(() => void sent.destroy());
    sent.on("error", () => {});
    // The response is paused, because Node discards a response without a listener.
    sent.on("response", (response) => response.pause());
    sent.end(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "s__print" } }));
  }
  await vi.waitFor(
    async () => {
      const refused = await front.ping({ session });
      expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("have not read")]);
    },
    { timeout: 40_000, interval: 100 },
  );
  const other = frontWith(host, calm);
  expect((await other.ping({ session: await other.open() })).status).toBe(200);
});
