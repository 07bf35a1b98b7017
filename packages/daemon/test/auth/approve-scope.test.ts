/** Tests that the right to approve calls belongs to the token of a request, not to the subject of the token. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";
import { startTokenIssuer } from "../helpers/token-issuer.ts";

const aud = "https://mcp.example.com/mcp";
const LEGACY_VERSION = "2025-11-25";
const ECHO = { name: "s__echo", arguments: { text: "hi" } };

/** Signs two tokens of the same subject, one with and one without the scope to approve. */
async function setUp(permissions: object = {}) {
  const issuer = await startTokenIssuer();
  const auth = { issuer: issuer.url, audience: aud, scopes: { mcp: "*" }, approve_scope: "approve" };
  const host = await startRunningHost({ s: scriptedLegacy() }, { keyCooldownMs: 0 }, permissions, {}, { auth });
  onTestFinished(host.close);
  const tokens = {
    approving: await issuer.sign({ aud, sub: "ann", scope: "mcp approve" }),
    plain: await issuer.sign({ aud, sub: "ann", scope: "mcp" }),
  };
  return {
    host,
    tokens,
    approving: frontWith(host, tokens.approving),
    plain: frontWith(host, tokens.plain),
  };
}

describe("a token without the scope to approve", { meta: { covers: ["S29"] } }, () => {
  it("can't approve even if a token with the scope is used while the body of its request is still arriving", async () => {
    const { host, tokens, approving } = await setUp();
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: modern(ECHO) });
    const sent = request(host.url, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${tokens.plain}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": message.length,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": ECHO.name,
      },
    });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.write(message.slice(0, 10));
    await once(sent, "socket");
    // The host checks each of these requests when it already has the headers of the first one.
    for (let n = 0; n < 3; n++) expect((await approving.initialize()).status).toBe(200);
    sent.end(message.slice(10));
    const [response] = await answered;
    expect(await text(response)).toContain("needs permission");
  });

  it("gets no right from a token with the scope that opened the session", async () => {
    const { approving, plain } = await setUp();
    const session = await approving.open();
    expect(await (await plain.call("echo", ECHO.arguments, { session })).text()).toContain("needs permission");
    expect(await (await approving.call("echo", ECHO.arguments, { session })).text()).toContain('"text":"hi"');
  });

  it("shares no right with a token with the scope in a session that it opened itself", async () => {
    const { approving, plain } = await setUp();
    const session = await plain.open();
    expect(await (await approving.call("echo", ECHO.arguments, { session })).text()).toContain('"text":"hi"');
    expect(await (await plain.call("echo", ECHO.arguments, { session })).text()).toContain("needs permission");
  });

  it.each(["once", "session", "always"])("can't answer %s to the permission form of a session", async (decision) => {
    const { approving, plain } = await setUp({ ask: ["s:echo"] });
    const session = await openWithForms(approving);
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: ECHO };
    const calling = await approving.send(call, { session });
    const reader = calling.body!.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    const readUntil = async (pattern: RegExp) => {
      while (!pattern.test(received)) {
        const { value, done } = await reader.read();
        if (done) break;
        received += value;
      }
      return pattern.exec(received);
    };
    const asked = await readUntil(/"id":"(plugboard-\d+)"/);
    const result = { action: "accept", content: { decision } };
    await plain.send({ jsonrpc: "2.0", id: asked![1], result }, { session });
    await readUntil(/"id":5/);
    expect(received).toContain("may not approve");
    expect(received).not.toContain('"text":"hi"');
  });

  it.each(["once", "session", "always"])("can't answer %s to a parked permission question", async (decision) => {
    const { approving, plain } = await setUp({ ask: ["s:echo"] });
    const send = async (front: typeof plain, params: object) => {
      const response = await fetchModern(front, modern({ ...ECHO, ...params }, { elicitation: { form: {} } }));
      return (await response.json()) as { result: { requestState?: string; content?: { text: string }[] } };
    };
    const { requestState } = (await send(approving, {})).result;
    const inputResponses = { permission: { action: "accept", content: { decision } } };
    const { result } = await send(plain, { requestState, inputResponses });
    expect(result.content![0]!.text).toContain("may not approve");
    // The answer is not stored either.
    expect((await send(approving, {})).result.requestState).toBeDefined();
  });
});

type Front = ReturnType<typeof frontWith>;

/** Adds the `_meta` that a request of the modern era needs. */
function modern(params: object, capabilities: object = {}): object {
  const key = "io.modelcontextprotocol/";
  const _meta = {
    [`${key}protocolVersion`]: "2026-07-28",
    [`${key}clientInfo`]: { name: "test", version: "1" },
    [`${key}clientCapabilities`]: capabilities,
  };
  return { ...params, _meta };
}

function fetchModern({ send }: Front, params: object): Promise<Response> {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": ECHO.name };
  return send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { headers });
}

/** Opens a legacy session whose client can show forms. */
async function openWithForms({ send }: Front): Promise<string> {
  const params = {
    protocolVersion: LEGACY_VERSION,
    capabilities: { elicitation: {} },
    clientInfo: { name: "test", version: "1" },
  };
  const response = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await response.text();
  const session = response.headers.get("mcp-session-id")!;
  await (await send({ jsonrpc: "2.0", method: "notifications/initialized" }, { session })).text();
  return session;
}
