/** Tests what `plugboard call` sends to servers at a URL, by the transport of their definition. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

it("plugboard call finds a server behind a proxy by its id", { meta: { covers: ["R1.7"] } }, async () => {
  const proxy = await startScriptedHttp((_, response) => void response.writeHead(404).end());
  onTestFinished(() => proxy.close());
  const url = proxy.url.replace("/mcp", "/v1/{id}/mcp");
  const setup = await setUp({ mcpServers: { a: { type: "claudeai-proxy", url, id: "srv 1" } } });
  await runPipedProcess(setup, "call", "a:go");
  expect([...new Set(proxy.requests.map(({ path }) => path))]).toEqual(["/v1/srv%201/mcp"]);
});

it.each(["http", "sse"])(
  "plugboard call sends the headers of the definition with every request over %s",
  { meta: { covers: ["R1.3", "R1.4", "R1.62"] } },
  async (type) => {
    const server = await startScriptedHttp((_, response) => void response.writeHead(404).end());
    onTestFinished(() => server.close());
    const entry = { type, url: server.url, headers: { "X-Team": "blue" } };
    await runPipedProcess(await setUp({ mcpServers: { a: entry } }), "call", "a:go");
    expect(server.requests.some(({ method }) => method === (type === "sse" ? "GET" : "POST"))).toBe(true);
    expect(new Set(server.requests.map(({ headers }) => headers["x-team"]))).toEqual(new Set(["blue"]));
  },
);

it("plugboard call sends the headers of the definition to a WebSocket", { meta: { covers: ["R3.21"] } }, async () => {
  const upgrades: IncomingHttpHeaders[] = [];
  const server = createServer().on("upgrade", ({ headers }, socket) => {
    upgrades.push(headers);
    socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const entry = { url, headers: { "X-Team": "blue", Authorization: "Bearer t0k" } };
  await runPipedProcess(await setUp({ mcpServers: { a: entry } }), "call", "a:go");
  expect(upgrades[0]).toMatchObject({ upgrade: "websocket", "x-team": "blue", authorization: "Bearer t0k" });
});
