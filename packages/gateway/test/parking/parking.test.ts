/** Tests parked calls: calls to a legacy server that wait for the answer of a modern client. */
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Caller } from "@plugboard/contracts";
import type { Suspended } from "@plugboard/mcp";
import { Parking } from "#parking/parking.js";
import type { ParkingLimits } from "#parking/parking.js";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sendAnswer, sendRequest, sendToolCall } from "../helpers/raw-modern-client.ts";
import { openClient } from "../helpers/official-clients.ts";
import { watchWire } from "../helpers/watch-wire.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { addNamedToken, startRunningHost } from "../../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

async function startHost(parking: Partial<ParkingLimits> = {}) {
  const { command, args } = scriptedLegacy();
  // The server writes its stderr to a file, which the test reads.
  const log = "${HOME}/stderr.log";
  const host = await startRunningHost(
    {
      s: { command: "sh", args: ["-c", `exec "$@" 2>"${log}"`, "sh", command, ...args], env: { HOME: "${HOME}" } },
      other: scriptedLegacy("--pages=2"),
      third: scriptedLegacy(),
    },
    { gateway: { parking } },
  );
  onTestFinished(host.close);
  const stderr = () => readFile(join(host.env["HOME"]!, "stderr.log"), "utf8");
  const waitForLog = (text: string) => vi.waitFor(async () => expect(await stderr()).toContain(text), 10_000);
  return { host, stderr, waitForLog };
}

const textOf = ({ result }: { result?: { content?: { text: string }[] } }) => result?.content?.[0]?.text;

async function park(host: RunningHost, tool = "s__ask", args: object = {}): Promise<string> {
  const asked = await sendToolCall(host, tool, args);
  expect(asked).toMatchObject({
    status: 200,
    result: { resultType: "input_required", inputRequests: { "ask-1": { method: "elicitation/create" } } },
  });
  return asked.result!.requestState!;
}

describe("a parked call", () => {
  it("continues with the answer and is not sent to the server again", async () => {
    const { host, stderr } = await startHost();
    const state = await park(host);
    const end = await sendAnswer(host, "s__ask", state, { name: "Ann" });
    expect(end).toMatchObject({ status: 200, result: { resultType: "complete" } });
    expect(textOf(end)).toBe('answer: {"action":"accept","content":{"name":"Ann"}}');
    expect(textOf(await sendToolCall(host, "s__echo", { text: "still here" }))).toBe("still here");
    expect(await stderr()).not.toContain("cancelled");
  });

  it("is cancelled at the server when no answer comes in time, and its requestState is rejected", async () => {
    const { host, waitForLog } = await startHost({ ttlMs: 100 });
    const state = await park(host);
    await waitForLog("cancelled ");
    const late = await sendAnswer(host, "s__ask", state, { name: "Ann" });
    expect(late).toMatchObject({
      status: 400,
      error: { code: -32602, message: expect.stringContaining("expired") as string },
    });
  });

  it("fails the client's next request when the server dies, and is not sent again", async () => {
    const { host } = await startHost();
    const state = await park(host, "s__ask_and_die");
    const end = await sendAnswer(host, "s__ask_and_die", state, { name: "Ann" });
    expect(end.error).toMatchObject({ data: { plugboard: "SERVER_CRASHED" } });
  });

  it("returns the result to the client's next request when the server finishes without the answer", async () => {
    const { host, waitForLog } = await startHost();
    const args = { when_exists: join(host.env["HOME"]!, "go") };
    const state = await park(host, "s__ask_and_finish", args);
    await writeFile(args.when_exists, "");
    // The host answers the open question with cancel when the call has ended, and the server logs that.
    await waitForLog("late answer");
    const end = await sendAnswer(host, "s__ask_and_finish", state, { name: "Ann" }, args);
    expect(textOf(end)).toBe("finished without you");
  });

  it("returns the result to a request without an answer, too, when the server has finished", async () => {
    const { host, waitForLog } = await startHost();
    const args = { when_exists: join(host.env["HOME"]!, "go") };
    const state = await park(host, "s__ask_and_finish", args);
    await writeFile(args.when_exists, "");
    await waitForLog("late answer");
    const params = { requestState: state, inputResponses: {} };
    const end = await sendToolCall(host, "s__ask_and_finish", args, { params });
    expect(end.result).toMatchObject({ resultType: "complete" });
    expect(textOf(end)).toBe("finished without you");
  });

  it("asks again if the client's next request has no answer and the server still waits", async () => {
    const { host } = await startHost();
    const params = { requestState: await park(host), inputResponses: {} };
    const again = await sendToolCall(host, "s__ask", {}, { params });
    expect(again.result).toMatchObject({ resultType: "input_required", inputRequests: { "ask-1": {} } });
    const end = await sendAnswer(host, "s__ask", again.result!.requestState!, { name: "Ann" });
    expect(textOf(end)).toContain("Ann");
  });

  it("is rejected with TOO_MANY_PARKED when the limit is reached", async () => {
    const { host } = await startHost({ perFront: 1 });
    await park(host);
    const refused = await sendToolCall(host, "other__ask");
    expect(refused.error).toMatchObject({ data: { plugboard: "TOO_MANY_PARKED" } });
  });

  it(
    "is cancelled for a call of another token if its own token has the most parked calls",
    { meta: { covers: ["S33", "S24"] } },
    async () => {
      const { host, waitForLog } = await startHost({ total: 2 });
      const withToken = async (name: string) => {
        const token = await addNamedToken(host.env, { name, mayApprove: true, now: 0 });
        return { ...host, token };
      };
      const [many, few] = [await withToken("many"), await withToken("few")];
      const [first, second] = [await park(many), await park(many, "other__ask")];
      const third = await park(few, "third__ask");
      await waitForLog("cancelled ");
      const refused = {
        status: 400,
        error: { message: expect.stringContaining("another client needed its place") as string },
      };
      expect(await sendAnswer(many, "s__ask", first, { name: "Ann" })).toMatchObject(refused);
      const again = await sendToolCall(many, "s__ask");
      expect(again.error).toMatchObject({ data: { plugboard: "TOO_MANY_PARKED" } });
      expect(textOf(await sendAnswer(many, "other__ask", second, { name: "Ann" }))).toContain("Ann");
      expect(textOf(await sendAnswer(few, "third__ask", third, { name: "Bob" }))).toContain("Bob");
    },
  );

  it("does not block the next call when the server has finished it", async () => {
    const { host } = await startHost();
    const go = join(host.env["HOME"]!, "go");
    await park(host, "s__ask_and_finish", { when_exists: go });
    const next = sendToolCall(host, "s__echo", { text: "my turn" });
    await writeFile(go, "");
    expect(textOf(await next)).toBe("my turn");
  });
});

describe("Parking", { meta: { covers: ["S33"] } }, () => {
  it("has room for the owner and a ninth token even if eight tokens have eight parked calls each", () => {
    const abandoned: string[] = [];
    const parking = new Parking(new ManualClock(), { perFront: 8, total: 64, ttlMs: 1000 });
    const park = (caller: Caller, name: string) =>
      parking.park({ abandon: () => abandoned.push(name) } as unknown as Suspended, caller);
    const client = (id: string): Caller => ({ kind: "front", id, principal: { id, name: id, mayApprove: false } });
    for (let token = 1; token <= 8; token++)
      for (let call = 1; call <= 8; call++) park(client(`t${token}`), `t${token} call ${call}`);
    park({ kind: "front", id: "stdio" }, "owner's");
    park(client("t9"), "t9 call 1");
    expect(abandoned).toEqual(["t1 call 1", "t2 call 1"]);
    const error = expect.objectContaining({ code: "TOO_MANY_PARKED", details: { limit: 64, scope: "all clients" } });
    expect(() => park(client("t1"), "t1 call 9")).toThrow(error);
  });
});

it("Parking cancels the calls of a revoked token, and of no other token", () => {
  const parking = new Parking(new ManualClock(), { perFront: 8, total: 64, ttlMs: 1000 });
  const abandon = vi.fn<(reason: string) => void>();
  const caller: Caller = { kind: "front", id: "a", principal: { id: "t1", name: "ann", mayApprove: false } };
  parking.park({ abandon } as unknown as Suspended, caller);
  parking.forgetPrincipal("t2");
  expect(abandon).not.toHaveBeenCalled();
  parking.forgetPrincipal("t1");
  expect(abandon).toHaveBeenCalledExactlyOnceWith("the token of its client was revoked");
});

describe("a requestState of a parked call", () => {
  const refusal = (reason: string) => ({
    status: 400,
    error: { code: -32602, message: expect.stringContaining(reason) as string },
  });

  it("is accepted only once", async () => {
    const { host } = await startHost();
    const state = await park(host);
    await sendAnswer(host, "s__ask", state, { name: "Ann" });
    expect(await sendAnswer(host, "s__ask", state, { name: "Ann" })).toMatchObject(refusal("already used"));
  });

  it("is rejected if it was changed", async () => {
    const { host } = await startHost();
    const state = await park(host);
    const bytes = Buffer.from(state, "base64url");
    bytes[bytes.length - 1]! ^= 1;
    for (const forged of [bytes.toString("base64url"), "", "AAAA", state.slice(0, -4)]) {
      expect(await sendAnswer(host, "s__ask", forged, { name: "Eve" })).toMatchObject(
        refusal("this host did not issue it"),
      );
    }
    expect(textOf(await sendAnswer(host, "s__ask", state, { name: "Ann" }))).toContain("Ann");
  });

  it("is rejected for another request", async () => {
    const { host } = await startHost();
    const state = await park(host);
    expect(await sendAnswer(host, "s__ask", state, { name: "Ann" }, { other: 1 })).toMatchObject(
      refusal("another request"),
    );
    expect(await sendAnswer(host, "s__ask_two", state, { name: "Ann" })).toMatchObject(refusal("another request"));
  });

  it("is rejected from another client", async () => {
    const { host } = await startHost();
    const state = await park(host);
    const otherClient = await openClient("modern over stdio", host, () => ({ action: "cancel" }));
    onTestFinished(() => otherClient.close());
    await expect(
      otherClient.request("tools/call", {
        name: "s__ask",
        arguments: {},
        requestState: state,
        inputResponses: {},
      }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("can't be used") as string });
  });
});

describe("answers of a modern client", () => {
  it("begin a new call if they come without a requestState", async () => {
    const { host } = await startHost();
    const params = { inputResponses: { "ask-1": { action: "accept", content: { name: "Ann" } } } };
    const asked = await sendToolCall(host, "s__ask", {}, { params });
    expect(asked).toMatchObject({ status: 200, result: { resultType: "input_required" } });
    const end = await sendAnswer(host, "s__ask", asked.result!.requestState!, { name: "Eve" });
    expect(textOf(end)).toBe('answer: {"action":"accept","content":{"name":"Eve"}}');
  });

  it.each([
    ["have another key", { other: { action: "accept", content: { name: "Ann" } } }],
    ["are not objects", { "ask-1": 12345 }],
    ["are missing", undefined],
  ])("are asked for again if they %s", async (_, inputResponses) => {
    const { host, stderr } = await startHost();
    const requestState = await park(host);
    const params = { requestState, ...(inputResponses && { inputResponses }) };
    const again = await sendToolCall(host, "s__ask", {}, { params });
    expect(again.result).toMatchObject({ resultType: "input_required", inputRequests: { "ask-1": {} } });
    const end = await sendAnswer(host, "s__ask", again.result!.requestState!, { name: "Ann" });
    expect(textOf(end)).toBe('answer: {"action":"accept","content":{"name":"Ann"}}');
    expect(await stderr()).not.toContain("cancelled");
  });
});

describe("a modern HTTP client of the gateway", () => {
  it("never gets a question of another client with the same token", async () => {
    const { host, waitForLog } = await startHost();
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const theirs = sendToolCall(host, "s__hold", {}, { signal: abort.signal }).catch(() => "cancelled");
    await waitForLog("holding");
    // With two calls in flight, the question could belong to either of them.
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    watchWire(({ message }) => message.method === "elicitation/create" && isAsked());
    const mine = sendToolCall(host, "s__ask");
    await asked;
    abort.abort();
    expect(await theirs).toBe("cancelled");
    expect((await mine).result).toMatchObject({ resultType: "input_required" });
  });

  it("cancels its call by closing the stream", { meta: { covers: ["F43"] } }, async () => {
    const { host, waitForLog } = await startHost();
    const abort = new AbortController();
    const held = sendToolCall(host, "s__hold", {}, { signal: abort.signal });
    await waitForLog("holding");
    abort.abort();
    await expect(held).rejects.toThrow();
    await waitForLog("cancelled ");
  });

  it("cancels all calls of a connection by closing it", async () => {
    const { host, stderr } = await startHost();
    const { port, pathname } = new URL(host.url);
    const client = connect(Number(port), "127.0.0.1");
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    for (const id of [1, 2]) {
      const params = { name: "s__hold", arguments: {}, _meta: meta };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const headers = [
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${host.token}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Mcp-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: s__hold",
      ];
      client.write(`POST ${pathname} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
    }
    const times = (word: string, text: string) => text.split(word).length - 1;
    await vi.waitFor(async () => expect(times("holding", await stderr())).toBe(2), 10_000);
    client.destroy();
    await vi.waitFor(async () => expect(times("cancelled", await stderr())).toBe(2), 10_000);
  });

  it("receives progress with the progress token of its request", async () => {
    const { host } = await startHost();
    const params = { _meta: { progressToken: "mine" } };
    const { earlierMessages, result } = await sendToolCall(host, "s__progress", { steps: 2 }, { params });
    expect(earlierMessages).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "mine", progress: 1 } },
      { method: "notifications/progress", params: { progressToken: "mine", progress: 2 } },
    ]);
    expect(result?.content?.[0]?.text).toBe("done in 2 steps");
  });

  it("is not asked questions if it does not support elicitation", async () => {
    const { host } = await startHost();
    const end = await sendToolCall(host, "s__ask", {}, { capabilities: {} });
    expect(textOf(end)).toBe('answer: {"action":"cancel"}');
  });

  it.each([
    ["an unknown method", "no/such", {}, 404, -32601],
    ["an unknown tool", "tools/call", { params: { name: "nope" } }, 400, -32602],
    ["a missing Mcp-Method", "tools/list", { headers: { "mcp-method": undefined } }, 400, -32020],
    ["a wrong Mcp-Method", "tools/list", { headers: { "mcp-method": "tools/call" } }, 400, -32020],
    ["a wrong Mcp-Name", "tools/call", { params: { name: "a" }, headers: { "mcp-name": "b" } }, 400, -32020],
    [
      "an unknown protocol version",
      "tools/list",
      {
        headers: { "mcp-protocol-version": "2099-01-01" },
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } },
      },
      400,
      -32022,
    ],
    [
      "missing capabilities",
      "tools/list",
      { params: { _meta: { "io.modelcontextprotocol/clientCapabilities": null } } },
      400,
      -32602,
    ],
  ])(
    "gets the HTTP status and error code that the specification requires for %s",
    async (_, method, request, status, code) => {
      const { host } = await startHost();
      expect(await sendRequest(host, method, request)).toMatchObject({ status, error: { code } });
    },
  );
});
