/** Tests the client info that a host sends to its servers. */
import type { Era, JsonObject } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { embeddedHost } from "../helpers/embedded-host.ts";

const TOOLS = { resultType: "complete", tools: [{ name: "echo", inputSchema: { type: "object" } }] };

/** Starts a server of the given era that records the requests it receives. */
async function startServer(era: Era) {
  const received: { method: string; params: JsonObject }[] = [];
  const results: { [method: string]: JsonObject } = {
    "tools/list": TOOLS,
    "tools/call": { resultType: "complete", content: [] },
    ...(era === "legacy"
      ? { initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s" } } }
      : { "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } } }),
  };
  const server = await startScriptedHttp((request, response) => {
    const { id, method, params } = JSON.parse(request.body || "{}") as {
      id?: number;
      method: string;
      params: JsonObject;
    };
    if (id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
    received.push({ method, params });
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  onTestFinished(() => server.close());
  return { url: server.url, received };
}

it.each<[Era, (params: JsonObject) => unknown, string[]]>([
  ["legacy", ({ clientInfo }) => clientInfo, ["initialize"]],
  [
    "modern",
    ({ _meta }) => (_meta as JsonObject)["io.modelcontextprotocol/clientInfo"],
    ["server/discover", "tools/list", "tools/call"],
  ],
])("a host sends its name and version to a %s server", async (era, readClientInfo, methods) => {
  const server = await startServer(era);
  const host = await embeddedHost({ servers: { s: { type: "http", url: server.url } } });
  await host.tools.call("s:echo", {});
  for (const method of methods) {
    const { params } = server.received.find((message) => message.method === method)!;
    expect(readClientInfo(params), method).toEqual({ name: "plugboard", version: VERSION });
  }
});
