import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { createServer as createListener } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { HostsProxy } from "#sandbox/hosts-proxy.js";
import type { ProxyAttempt } from "#sandbox/hosts-proxy.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

/** Names that resolve to this machine, as an attacker's DNS server would answer. */
const ADDRESSES: { readonly [name: string]: string } = {
  "rebound.example": "127.0.0.1",
  "metadata.example": "169.254.169.254",
  localhost: "127.0.0.1",
  "127.0.0.1": "127.0.0.1",
};

describe("HostsProxy", { meta: { covers: ["A25"] } }, () => {
  let site: number;
  let attempts: ProxyAttempt[];

  beforeEach(async () => {
    const server = createServer((asked, response) => {
      if (asked.url === "/redirect") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      else
        response.end(
          `${asked.method} ${asked.url} for ${asked.headers.host}, proxy: ${"proxy-connection" in asked.headers}`,
        );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    site = (server.address() as AddressInfo).port;
    attempts = [];
    return () => void server.close();
  });

  async function startProxy(...hosts: string[]): Promise<number> {
    const resolveName = (name: string) =>
      ADDRESSES[name] === undefined ? Promise.reject(new Error()) : Promise.resolve(ADDRESSES[name]);
    const proxy = new HostsProxy(hosts, (attempt) => attempts.push(attempt), resolveName);
    const listener = createListener();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    proxy.serve(listener);
    onTestFinished(() => proxy.close());
    return (listener.address() as AddressInfo).port;
  }

  const get = (port: number, url: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path: url, headers: { "proxy-connection": "close" } });
      asked
        .on("error", reject)
        .on(
          "response",
          (response) => void text(response).then((body) => resolve({ status: response.statusCode!, body })),
        );
      asked.end();
    });

  const tunnel = (port: number, target: string) =>
    new Promise<{ status: number; socket: Socket }>((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, method: "CONNECT", path: target });
      asked
        .on("error", reject)
        .on("connect", (response: IncomingMessage, socket: Socket) =>
          resolve({ status: response.statusCode!, socket }),
        );
      asked.end();
    });

  it("forwards HTTP requests to a listed host", async () => {
    const proxy = await startProxy(`localhost:${site}`);
    expect(await get(proxy, `http://localhost:${site}/a?b=c`)).toEqual({
      status: 200,
      body: `GET /a?b=c for localhost:${site}, proxy: false`,
    });
    expect(attempts).toEqual([{ host: "localhost", port: site }]);
  });

  it("opens a tunnel to a listed host", async () => {
    const proxy = await startProxy(`localhost:${site}`);
    const { status, socket } = await tunnel(proxy, `localhost:${site}`);
    expect(status).toBe(200);
    socket.write("GET /tunnel HTTP/1.1\r\nhost: inner\r\nconnection: close\r\n\r\n");
    expect(await text(socket)).toContain("GET /tunnel for inner");
  });

  it.for([
    ["a host that is not listed", "other.example", "not listed"],
    ["the address of a listed host", "127.0.0.1", "not listed"],
    ["an address in another spelling", "2130706433", "not listed"],
    ["a listed name that resolves to loopback", "rebound.example", "local address"],
    ["a listed name that resolves to a link-local address", "metadata.example", "local address"],
    ["a listed name that does not exist", "gone.example", "unknown host"],
  ] as const)("refuses %s, and says so", async ([, host, refused]) => {
    const proxy = await startProxy("rebound.example", "metadata.example", "gone.example");
    const answer = await get(proxy, `http://${host}:${site}/`);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatch(
      /^The sandbox of this server does not allow .*\. Add it to `network` in its definition\.\n$/,
    );
    const tunnelled = await tunnel(proxy, `${host}:${site}`);
    tunnelled.socket.destroy();
    expect(tunnelled.status).toBe(403);
    expect(attempts.map((attempt) => attempt.refused)).toEqual([refused, refused]);
  });

  it("does not follow a redirect, so that the client has to ask for the new host", async () => {
    const proxy = await startProxy(`localhost:${site}`);
    expect((await get(proxy, `http://localhost:${site}/redirect`)).status).toBe(302);
    expect(await get(proxy, "http://127.0.0.1:1/")).toMatchObject({ status: 403 });
  });

  it("refuses a request that is not for a proxy", async () => {
    const proxy = await startProxy("localhost");
    expect((await get(proxy, "/")).status).toBe(400);
    const { status, socket } = await tunnel(proxy, "localhost");
    socket.destroy();
    expect(status).toBe(403);
  });
});
