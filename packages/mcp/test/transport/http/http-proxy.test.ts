/** Tests proxies from the environment. `mcp.test` exists only for the proxy, which maps it to this machine. */
import { startFixture } from "@plugboard/testkit/fixture-process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
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

interface Proxy {
  readonly url: string;
  /** The requests to the proxy, with their authentication. */
  readonly requested: { readonly what: string; readonly login: string | undefined }[];
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that forwards all requests to one local port, or rejects them. */
async function startProxy(port: number, refuse?: number): Promise<Proxy> {
  const requested: { what: string; login: string | undefined }[] = [];
  const write = ({ method, url, headers }: IncomingMessage) =>
    requested.push({ what: `${method} ${url}`, login: headers["proxy-authorization"] });
  const server = createServer((incoming, outgoing) => {
    write(incoming);
    if (refuse !== undefined) return void outgoing.writeHead(refuse).end();
    const { pathname, search } = new URL(incoming.url ?? "");
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const passed = forward({ port, host: "127.0.0.1", path: pathname + search, method: incoming.method, headers });
    passed.on("response", (response) =>
      response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers)),
    );
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    write(incoming);
    if (refuse !== undefined) return void client.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const tunnel = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    client.pipe(tunnel).pipe(client);
    for (const socket of [client, tunnel]) socket.on("error", () => {});
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, requested };
}

const answer = (response: ServerResponse, body: string) => {
  const { id } = JSON.parse(body) as { id: number };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(id)));
};

const portOf = (url: string) => Number(new URL(url).port);

describe("HttpTransport with an http server behind a proxy", () => {
  it("sends requests through the proxy, and the proxy's credentials only to the proxy", async () => {
    const server = await startTestHttp(({ body }, response) => answer(response, body));
    const proxy = await startProxy(portOf(server.url));
    const env = { http_proxy: proxy.url.replace("//", "//ann:p%40ss@") };
    const { transport, ...received } = openHttp("http://mcp.test/mcp?a=1", { env, headers: { "x-key": "k" } });
    await transport.send(request(1));
    await transport.send(request(2));
    expect(messageTexts(received)).toEqual(["done", "done"]);
    const login = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
    const what = "POST http://mcp.test/mcp?a=1";
    expect(proxy.requested).toEqual([
      { what, login },
      { what, login },
    ]);
    expect(server.requests[0]).toMatchObject({ path: "/mcp?a=1", headers: { host: "mcp.test", "x-key": "k" } });
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("follows a redirect within the server's origin through the proxy", async () => {
    const server = await startTestHttp(({ path, body }, response) => {
      if (path === "/mcp") response.writeHead(307, { location: "http://mcp.test/mcp/" }).end();
      else answer(response, body);
    });
    const proxy = await startProxy(portOf(server.url));
    const { transport, ...received } = openHttp("http://mcp.test/mcp", { env: { HTTP_PROXY: proxy.url } });
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(proxy.requested.map(({ what }) => what)).toEqual(["POST http://mcp.test/mcp", "POST http://mcp.test/mcp/"]);
  });

  it("opens the push stream through the proxy", async () => {
    const server = await startTestHttp((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(sseEvent(logNotification("news")));
    });
    const proxy = await startProxy(portOf(server.url));
    const { transport, ...received } = openHttp("http://mcp.test/mcp", { env: { HTTP_PROXY: proxy.url } });
    transport.openPushStream({});
    await eventually(() => expect(messageTexts(received)).toEqual(["news"]));
    expect(proxy.requested.map(({ what }) => what)).toEqual(["GET http://mcp.test/mcp"]);
  });

  it("connects directly to a server on this machine", async () => {
    const server = await startTestHttp(({ body }, response) => answer(response, body));
    const proxy = await startProxy(portOf(server.url));
    const { transport, ...received } = openHttp(server.url, { env: { HTTP_PROXY: proxy.url } });
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(proxy.requested).toEqual([]);
  });
});

describe("A proxy", () => {
  it.each<[string, string, number, RegExp]>([
    ["requires authentication", "http://mcp.test/", 407, /the proxy requires authentication/],
    ["requires authentication for a tunnel", "https://mcp.test/", 407, /407/],
    ["refuses a tunnel", "https://mcp.test/", 403, /403/],
  ])("makes the server unreachable if it %s", async (_, url, status, reason) => {
    const proxy = await startProxy(9, status);
    const { transport, lost } = openHttp(url, { env: { http_proxy: proxy.url, https_proxy: proxy.url } });
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({
      code: "SERVER_UNREACHABLE",
      details: { reason: expect.stringMatching(reason) },
    });
  });

  it("makes the server unreachable if it is not running, and the error does not show its credentials", async () => {
    for (const url of ["http://mcp.test/", "https://mcp.test/"]) {
      const proxy = "http://ann:secret@127.0.0.1:9";
      const { transport, lost } = openHttp(url, { env: { http_proxy: proxy, https_proxy: proxy } });
      await transport.send(request(1));
      expect(lost.get(1)?.code).toBe("SERVER_UNREACHABLE");
      expect(lost.get(1)?.message).not.toContain("secret");
    }
  });

  it.each(["http://", "ftp://a.test"])("is mentioned in the error if its URL is invalid (%s)", (proxy) => {
    expect(() => openHttp("http://mcp.test/", { env: { http_proxy: proxy } })).toThrow(/proxy/);
  });
});

it("HttpTransport reaches an https server through a tunnel", async () => {
  const folder = new URL("../../certificates/", import.meta.url);
  const certificate = (name: string) => readFileSync(new URL(`${name}.pem`, folder));
  const secure = createSecure({ key: certificate("key"), cert: certificate("self-signed") }, (incoming, response) => {
    if (incoming.method === "POST") return answer(response, '{"id":1}');
    response.writeHead(200, { "content-type": "text/event-stream" }).write(sseEvent(logNotification("pushed")));
  });
  const proxy = await startProxy(await listen(secure));
  const program = `
    import { HttpTransport } from ${JSON.stringify(import.meta.resolve("#transport/streamable-http/http-transport.js"))};
    const options = { server: "x", url: "https://mcp.test/mcp", headers: {}, maxMessageBytes: 1e6 };
    const transport = new HttpTransport(options);
    const done = new Set();
    transport.start({
      message({ type }) {
        console.log(type);
        if (done.add(type).size === 2) process.exit();
      },
      requestFailed: (_, error) => console.log(error.message),
      closed() {},
    });
    transport.openPushStream({});
    void transport.send({ jsonrpc: "2.0", id: 1, method: "x" });
    setInterval(() => {}, 1000);
  `;
  const env = {
    ...process.env,
    HTTPS_PROXY: proxy.url,
    https_proxy: proxy.url,
    NO_PROXY: "",
    no_proxy: "",
    NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("self-signed.pem", folder)),
  };
  const child = startFixture({ command: process.execPath, args: ["--input-type=module", "-e", program] }, env);
  onTestFinished(() => child.close());
  await child.stdout.waitFor(/result\n/, 15_000);
  await child.stdout.waitFor(/notification\n/, 15_000);
  expect(proxy.requested.map(({ what }) => what)).toEqual(["CONNECT mcp.test:443", "CONNECT mcp.test:443"]);
});
