/** Tests that a right belongs to one principal, and to no other token, not even to a later one of the same name. */
import { fileURLToPath } from "node:url";
import type { Answer, HostEvent, Question } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openClient } from "./helpers/official-clients.ts";
import { openSubscription, sendAnswer, sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import { watchInbox } from "./helpers/watch-inbox.ts";
import { frontWith } from "../../daemon/test/helpers/front-requests.ts";
import { addNamedToken, deleteNamedToken, startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";
import { startTokenIssuer } from "../../daemon/test/helpers/token-issuer.ts";

const ECHO = "s__echo";
const hi = { text: "hi" };
const noForms = { capabilities: {} };
const pidServer = fileURLToPath(new URL("./helpers/pid-server.mjs", import.meta.url));

const tokenOf = async (host: RunningHost, name: string, mayApprove = false) => ({
  ...host,
  token: await addNamedToken(host.env, { name, mayApprove, now: 0 }),
});

/** Revokes the token, and makes a new one of the same name. */
async function replaceToken(host: RunningHost, name: string, mayApprove = false): Promise<RunningHost> {
  await deleteNamedToken(host.env, name);
  return tokenOf(host, name, mayApprove);
}

/** Calls the tool and answers the client's own permission form. */
async function answerOwnForm(client: RunningHost, decision: string) {
  const { requestState } = (await sendToolCall(client, ECHO, hi)).result!;
  const inputResponses = { permission: { action: "accept", content: { decision } } };
  return sendToolCall(client, ECHO, hi, { params: { requestState, inputResponses } });
}

/** Resolves with the next event of this type. */
async function nextEvent<Type extends HostEvent["type"]>({ daemon }: RunningHost, type: Type) {
  for await (const event of daemon.events()) if (event.type === type) return event as HostEvent & { type: Type };
  throw new Error("the host has stopped");
}

describe("an answer that allows later calls", { meta: { covers: ["S28"] } }, () => {
  let host: RunningHost;
  let asked: Question[];
  let answers: (question: Question) => Answer;
  beforeEach(async () => {
    host = await startRunningHost({ s: scriptedLegacy() }, {}, { ask: ["s:echo"] });
    onTestFinished(host.close);
    // The owner watches and says no at once. Otherwise each call would wait for somebody who watches.
    answers = () => ({ type: "permission", decision: "no" });
    asked = await watchInbox(host, (question) => answers(question));
  });

  const isAllowed = async (client: RunningHost, request = noForms) => {
    const { result } = await sendToolCall(client, ECHO, hi, request);
    return result?.resultType === "complete" && result.isError !== true;
  };

  it.each(["session", "always"])("of a client that may approve (%s) counts for no other token", async (decision) => {
    const ann = await tokenOf(host, "ann", true);
    expect((await answerOwnForm(ann, decision)).result?.content).toEqual([{ type: "text", text: "hi" }]);
    expect(await isAllowed(ann)).toBe(true);
    for (const other of [await tokenOf(host, "bob"), await tokenOf(host, "eve", true), host]) {
      expect(await isAllowed(other)).toBe(false);
    }
    const stdio = await openClient("legacy over stdio", host, () => ({ action: "decline" }));
    expect(await stdio.call(ECHO, hi)).toContain("denied by the user");
    await stdio.close();
  });

  it("of the owner's token (session) counts for no client", async () => {
    await answerOwnForm(host, "session");
    expect([await isAllowed(host), await isAllowed(await tokenOf(host, "bob", true))]).toEqual([true, false]);
  });

  it("of an OAuth subject counts for no other subject, and for no token of that name", async () => {
    const issuer = await startTokenIssuer();
    const auth = { issuer: issuer.url, audience: "https://a.example", scopes: { mcp: "*" }, approve_scope: "approve" };
    const served = await startRunningHost(
      { s: scriptedLegacy() },
      { keyCooldownMs: 0 },
      { ask: ["s:echo"] },
      {},
      { auth },
    );
    onTestFinished(served.close);
    await watchInbox(served, () => ({ type: "permission", decision: "no" }));
    const sign = async (sub: string, scope: string) => ({
      ...served,
      token: await issuer.sign({ aud: "https://a.example", sub, scope }),
    });
    await answerOwnForm(await sign("ann", "mcp approve"), "always");
    // The answer is the subject's, so it also counts for a token of the subject without the scope.
    expect(await isAllowed(await sign("ann", "mcp"))).toBe(true);
    for (const other of [await sign("bob", "mcp approve"), await tokenOf(served, "ann", true)]) {
      expect(await isAllowed(other)).toBe(false);
    }
  });

  it.each(["session", "always"] as const)("of the owner for a client (%s) counts for this client", async (decision) => {
    const [ann, bob] = [await tokenOf(host, "ann"), await tokenOf(host, "bob")];
    answers = ({ requestedBy }) => ({
      type: "permission",
      decision: requestedBy?.principal?.name === "ann" ? decision : "no",
    });
    for (let n = 0; n < 2; n++) expect([await isAllowed(ann), await isAllowed(bob)]).toEqual([true, false]);
    expect(asked.map(({ requestedBy }) => requestedBy?.principal?.name)).toEqual(["ann", "bob", "bob"]);
    const decisions = await host.daemon.workspace.permissions.decisions();
    expect(decisions).toMatchObject([{ scope: decision, grantee: { name: "ann" } }]);
  });

  it("of the owner for every client counts for all of them", async () => {
    const [ann, bob] = [await tokenOf(host, "ann"), await tokenOf(host, "bob")];
    answers = () => ({ type: "permission", decision: "always", for: "everyone" });
    expect([await isAllowed(ann), await isAllowed(bob), await isAllowed(host)]).toEqual([true, true, true]);
    expect(asked).toHaveLength(1);
    expect(await host.daemon.workspace.permissions.decisions()).toMatchObject([{ grantee: "everyone" }]);
  });

  it("of a client can't be for every client", async () => {
    const ann = await tokenOf(host, "ann", true);
    const { requestState } = (await sendToolCall(ann, ECHO, hi)).result!;
    const content = { decision: "always", for: "everyone" };
    const inputResponses = { permission: { action: "accept", content } };
    await sendToolCall(ann, ECHO, hi, { params: { requestState, inputResponses } });
    expect(await host.daemon.workspace.permissions.decisions()).toMatchObject([{ grantee: { name: "ann" } }]);
    expect(await isAllowed(await tokenOf(host, "bob"))).toBe(false);
  });

  it.each(["session", "always"])(
    "(%s) ends with its token, and does not count for a new token of the same name",
    async (decision) => {
      const ann = await tokenOf(host, "ann", true);
      await answerOwnForm(ann, decision);
      const replaced = await replaceToken(host, "ann", true);
      expect(await isAllowed(replaced)).toBe(false);
      await vi.waitFor(async () => expect(await host.daemon.workspace.permissions.decisions()).toEqual([]));
    },
  );

  it("for the session ends with the session of a legacy client", async () => {
    answers = () => ({ type: "permission", decision: "session" });
    const front = frontWith(host, (await tokenOf(host, "ann")).token);
    const session = await front.open();
    expect(await (await front.call("echo", hi, { session })).text()).toContain('"text":"hi"');
    expect(await host.daemon.workspace.permissions.decisions()).toHaveLength(1);
    expect((await front.send(undefined, { session, method: "DELETE" })).status).toBe(200);
    await vi.waitFor(async () => expect(await host.daemon.workspace.permissions.decisions()).toEqual([]));
  });
});

describe("a revoked token", { meta: { covers: ["S30"] } }, () => {
  it("ends its parked calls, and a new token of the same name can't resume them", async () => {
    const host = await startRunningHost({ s: { command: process.execPath, args: [pidServer] } });
    onTestFinished(host.close);
    const ann = await tokenOf(host, "ann");
    const { requestState } = (await sendToolCall(ann, "s__ask")).result!;
    const ended = nextEvent(host, "call.ended");
    const replaced = await replaceToken(host, "ann");
    const resumed = await sendAnswer(replaced, "s__ask", requestState!, { name: "Mallory" });
    expect(resumed.error?.message).toContain("another client");
    expect(await ended).toMatchObject({ tool: "ask", outcome: "failed", code: "CANCELLED" });
  });

  it("leaves no request state that a new token of the same name can use", async () => {
    const server = await startScriptedModern(
      { tools: {} },
      {
        "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
        "tools/call": ({ requestState }) =>
          requestState === undefined
            ? {
                resultType: "input_required",
                requestState: "x",
                inputRequests: {
                  "ask-1": {
                    method: "elicitation/create",
                    params: { message: "?", requestedSchema: { type: "object", properties: {} } },
                  },
                },
              }
            : { content: [{ type: "text", text: "done" }] },
      },
    );
    onTestFinished(() => server.close());
    const host = await startRunningHost({ s: { url: server.url } });
    onTestFinished(host.close);
    const asked = await sendToolCall(await tokenOf(host, "ann"), "s__t");
    const { requestState } = asked.result!;
    const resumed = await sendAnswer(await replaceToken(host, "ann"), "s__t", requestState!, {});
    expect(resumed.error?.message).toContain("another client");
  });

  it("withdraws its questions from the inbox", async () => {
    const host = await startRunningHost({ s: scriptedLegacy() }, {}, {});
    onTestFinished(host.close);
    const asked = await watchInbox(host, () => undefined);
    const calling = sendToolCall(await tokenOf(host, "ann"), ECHO, hi, noForms);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    const settled = nextEvent(host, "question.settled");
    await deleteNamedToken(host.env, "ann");
    expect(await settled).toMatchObject({ settlement: { by: "withdrawn" } });
    expect((await calling).error?.message).toContain("valid token");
  });

  it("leaves no stored result that a new token of the same name can read", async () => {
    const profiles = { short: { servers: ["s"], max_result_bytes: 1000 } };
    const host = await startRunningHost({ s: scriptedLegacy() }, {}, { allow: ["*"] }, profiles);
    onTestFinished(host.close);
    const at = (client: RunningHost) => ({ ...client, url: `${host.url}/p/short` });
    const ann = at(await tokenOf(host, "ann"));
    const { content } = (await sendToolCall(ann, ECHO, { text: "x".repeat(5000) })).result!;
    const { uri } = (content as unknown as { uri?: string }[]).find((block) => block.uri !== undefined)!;
    const read = (client: RunningHost) => sendRequest(client, "resources/read", { params: { uri } });
    expect((await read(ann)).result).toBeDefined();
    expect(await read(at(await replaceToken(host, "ann")))).toMatchObject({ error: { code: -32602 } });
  });

  it("leaves no task that a new token of the same name can use", async () => {
    const TASKS = "io.modelcontextprotocol/tasks";
    const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttlMs: 60_000 };
    const server = await startScriptedModern(
      { tools: {}, extensions: { [TASKS]: {} } },
      {
        "tools/list": () => ({ tools: [{ name: "job", inputSchema: { type: "object" } }] }),
        "tools/call": () => ({ resultType: "task", taskId: "t1", status: "working", ...times }),
        "tasks/get": ({ taskId }) => ({ taskId, status: "working", statusMessage: "secret", ...times }),
      },
    );
    onTestFinished(() => server.close());
    const host = await startRunningHost({ s: { url: server.url } });
    onTestFinished(host.close);
    const withTasks = { capabilities: { extensions: { [TASKS]: {} } } };
    const ann = await tokenOf(host, "ann");
    const { taskId } = (await sendToolCall(ann, "s__job", {}, withTasks)).result!;
    const get = (client: RunningHost) => sendRequest(client, "tasks/get", { ...withTasks, params: { taskId } });
    expect(JSON.stringify(await get(ann))).toContain("secret");
    expect(JSON.stringify(await get(await replaceToken(host, "ann")))).not.toContain("secret");
  });

  it("ends its subscriptions, and stops the servers that only its clients used", async () => {
    const server = { command: process.execPath, args: [pidServer], share: "caller" } as const;
    const host = await startRunningHost({ s: server });
    onTestFinished(host.close);
    const pidOf = async (client: RunningHost) =>
      Number((await sendToolCall(client, "s__pid")).result!.content![0]!.text);
    // The first client shares the process that lists the tools.
    const kept = await pidOf(host);
    const ann = await tokenOf(host, "ann");
    const own = await pidOf(ann);
    expect([own === kept, isAlive(own)]).toEqual([false, true]);
    const left = new AbortController();
    onTestFinished(() => left.abort());
    await openSubscription(ann, { toolsListChanged: true }, { signal: left.signal });
    await deleteNamedToken(host.env, "ann");
    await waitUntilDead(own, 10_000);
    expect(isAlive(kept)).toBe(true);
  });
});

it(
  "a client can't reach the server of another client with names that join to the same text",
  { meta: { covers: ["S31"] } },
  async () => {
    const issuer = await startTokenIssuer();
    const auth = { issuer: issuer.url, audience: "https://a.example", scopes: { mcp: "*" } };
    const server = { command: process.execPath, args: [pidServer], share: "caller" } as const;
    const host = await startRunningHost({ s: server }, { keyCooldownMs: 0 }, { allow: ["*"] }, {}, { auth });
    onTestFinished(host.close);
    const pidOf = async (sub: string, name: string) => {
      const token = await issuer.sign({ aud: "https://a.example", sub, scope: "mcp" });
      const _meta = { "io.modelcontextprotocol/clientInfo": { name, version: "1" } };
      const { result } = await sendToolCall({ ...host, token }, "s__pid", {}, { params: { _meta } });
      return result!.content![0]!.text;
    };
    const pids = [await pidOf("alice smith", "x"), await pidOf("alice", "smith x"), await pidOf("alice", "x")];
    expect(new Set(pids).size).toBe(3);
    expect(await pidOf("alice smith", "x")).toBe(pids[0]);
  },
);
