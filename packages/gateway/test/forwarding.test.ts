/** Tests which parts of a client's request reach a server behind the gateway. */
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedHttp } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendToolCall } from "./helpers/raw-modern-client.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const handshake = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "up", version: "1" },
};
const RESULTS: { readonly [method: string]: object } = {
  initialize: handshake,
  "tools/list": { tools: ["echo", "wipe", "visit"].map((name) => ({ name, inputSchema: { type: "object" } })) },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};

const VISIT = {
  code: -32042,
  message: "Visit a page first",
  data: { elicitations: [{ mode: "url", message: "Log in", url: "https://example.com/in", elicitationId: "e1" }] },
};

let upstream: ScriptedHttp;
let host: RunningHost;
beforeAll(async () => {
  upstream = await startScriptedHttp(({ body }, response) => {
    const { id, method = "" } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
    if (id === undefined) return void response.writeHead(method === "" ? 405 : 202).end();
    const result = RESULTS[method];
    const needsVisit = method === "tools/call" && body.includes('"visit"');
    const answer = needsVisit
      ? { error: VISIT }
      : result
        ? { result }
        : { error: { code: -32601, message: "no such method" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  host = await startRunningHost({ up: { url: upstream.url } });
});
afterAll(async () => {
  await host.close();
  await upstream.close();
});

it("the gateway forwards no token and no header of the client", { meta: { covers: ["S15"] } }, async () => {
  const headers = { "x-canary": "canary-header", cookie: "canary-cookie" };
  const { result } = await sendToolCall(host, "up__echo", {}, { headers });
  expect(result?.content).toEqual([{ type: "text", text: "done" }]);
  const sent = JSON.stringify(upstream.requests);
  expect(sent).toContain("tools/call");
  for (const secret of [host.token, "canary-header", "canary-cookie"]) expect(sent).not.toContain(secret);
});

it(
  "the gateway forwards the request as parsed: without duplicate keys, and without keys in another case",
  { meta: { covers: ["A14"] } },
  async () => {
    const before = upstream.requests.length;
    const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`;
    const response = await fetch(host.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${host.token}`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "up__echo",
      },
      body: `{"jsonrpc":"2.0","id":7,"Method":"tools/list","method":"tools/list","method":"tools/call","params":{
      "name":"up__wipe","name":"up__echo","Name":"up__wipe","arguments":{"text":"a","text":"b"},${meta}}}`,
    });
    expect(await response.text()).toContain("done");
    const calls = upstream.requests.slice(before).filter(({ body }) => body.includes('"tools/call"'));
    expect(calls).toHaveLength(1);
    const [{ body } = { body: "" }] = calls;
    const { method, params } = JSON.parse(body) as { method: string; params: { name: string; arguments: object } };
    expect([method, params.name, params.arguments]).toEqual(["tools/call", "echo", { text: "b" }]);
    for (const key of ["method", "name", "text"]) expect(body.match(new RegExp(`"${key}"`, "gi"))).toHaveLength(1);
    expect(body).not.toContain("wipe");
  },
);

it("the gateway asks a client to visit the page that a legacy server requires before a call", async () => {
  const capabilities = { elicitation: { url: {} } };
  const { result } = await sendToolCall(host, "up__visit", {}, { capabilities });
  const params = expect.objectContaining({ mode: "url", url: "https://example.com/in" }) as object;
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { "url-1": { method: "elicitation/create", params } },
  });
});

it("the gateway passes on the error of a server that requires a visit, if the client can't be asked for one", async () => {
  const { error } = await sendToolCall(host, "up__visit", {}, { capabilities: { elicitation: { form: {} } } });
  expect(error).toEqual(VISIT);
});
