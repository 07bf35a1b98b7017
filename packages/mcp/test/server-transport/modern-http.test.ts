/** Tests how the HTTP front checks the requests of modern clients. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { done, serveFront } from "../helpers/served-front.ts";
import type { ServedFront } from "../helpers/served-front.ts";

const KEY = "io.modelcontextprotocol/";
const META: JsonObject = { [`${KEY}protocolVersion`]: "2026-07-28", [`${KEY}clientCapabilities`]: {} };

async function post(
  { url }: ServedFront,
  method: string,
  params: JsonObject,
  headers: { [name: string]: string } = {},
) {
  const standard = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  const response = await fetch(url, { method: "POST", headers: { ...standard, ...headers }, body });
  return { status: response.status, ...((await response.json()) as { id?: number; error?: PeerError }) };
}

describe("a modern HTTP client", () => {
  it.each([
    ["no _meta", {}],
    ["no revision", { _meta: { [`${KEY}clientCapabilities`]: {} } }],
    ["no capabilities", { _meta: { [`${KEY}protocolVersion`]: "2026-07-28" } }],
  ])("gets −32602 with the id of its request and the status 400 for a request with %s", async (_, params) => {
    const front = await serveFront();
    const answer = await post(front, "tools/list", params);
    expect(answer).toMatchObject({ status: 400, id: 7, error: { code: -32602 } });
  });

  it("gets −32020 if the header names another revision than the request", async () => {
    const front = await serveFront();
    const _meta = { ...META, [`${KEY}protocolVersion`]: "v999" };
    expect(await post(front, "tools/list", { _meta })).toMatchObject({ status: 400, error: { code: -32020 } });
  });

  it("gets the status 400 if the server needs a capability that the client lacks", async () => {
    const front = await serveFront();
    const answered = post(front, "tools/call", { name: "t", _meta: META }, { "mcp-name": "t" });
    const cause = { code: -32021, message: "sampling is needed", data: { requiredCapabilities: { sampling: {} } } };
    const details = { server: "s", tool: "t", code: cause.code, message: cause.message };
    const error = new HostError("TOOL_EXECUTION_FAILED", details, { cause });
    (await front.next()).answer({ type: "failed", error });
    expect(await answered).toMatchObject({ status: 400, id: 7, error: cause });
  });
});

async function answerNext(front: ServedFront): Promise<void> {
  (await front.next()).answer(done);
}

describe("a tool with an argument that is also sent as a header", () => {
  const properties = {
    region: { type: "string", "x-mcp-header": "Region" },
    n: { type: "integer", "x-mcp-header": "N" },
  };
  const call = async (args: JsonObject, headers: { [name: string]: string }) => {
    const front = await serveFront({ t: { type: "object", properties } });
    void answerNext(front);
    return post(front, "tools/call", { name: "t", arguments: args, _meta: META }, { "mcp-name": "t", ...headers });
  };

  it.each([
    ["equals the argument", { region: "eu" }, { "Mcp-Param-Region": "eu" }],
    ["is the argument in base64", { region: "é" }, { "Mcp-Param-Region": "=?base64?w6k=?=" }],
    [
      "begins like encoded base64 without its end mark",
      { region: "=?base64?w6k=" },
      { "Mcp-Param-Region": "=?base64?w6k=" },
    ],
    ["is the same number", { n: 42 }, { "Mcp-Param-N": "42.0" }],
    ["is absent, as is the argument", {}, {}],
    ["is absent and the argument is null", { region: null }, {}],
  ])("is called if the header %s", async (_, args, headers) => {
    expect(await call(args, headers as { [name: string]: string })).toMatchObject({ status: 200 });
  });

  it.each([
    ["is missing", {}],
    ["differs", { "Mcp-Param-Region": "us" }],
    ["has wrong padding", { "Mcp-Param-Region": "=?base64?ZXU?=" }],
    ["has characters that are not base64", { "Mcp-Param-Region": "=?base64?ZX!!?=" }],
  ])("is not called if the header %s", async (_, headers) => {
    const answer = await call({ region: "eu" }, headers);
    expect(answer).toMatchObject({ status: 400, id: 7, error: { code: -32020 } });
  });
});
