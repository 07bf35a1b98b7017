/** Tests that the same client can answer a question once after the host was killed and started again. */
import { systemClock } from "@plugboard/contracts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  addNamedToken,
  deleteNamedToken,
  restartHost,
  startRunningHost,
} from "../../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";
import { sendAnswer, sendToolCall } from "../helpers/raw-modern-client.ts";
import { startRestartableHost } from "../helpers/restarted-host.ts";
import { startScriptedModern } from "../helpers/scripted-modern.ts";

const ECHO = "s__echo";
const hi = { text: "hi" };
const asking = { servers: { s: scriptedLegacy() }, permissions: { allow: ["*"], ask: ["s:echo"] } };
type Host = Pick<RunningHost, "url" | "token">;

async function askPermission(host: Host, args: object = hi): Promise<string> {
  const { result } = await sendToolCall(host, ECHO, args);
  expect(result).toMatchObject({ resultType: "input_required", inputRequests: { permission: {} } });
  return result!.requestState!;
}

function permit(host: Host, requestState: string, decision = "once", args: object = hi) {
  const inputResponses = { permission: { action: "accept", content: { decision } } };
  return sendToolCall(host, ECHO, args, { params: { requestState, inputResponses } });
}

const done = { result: { resultType: "complete", content: [{ text: "hi" }] } };
const refused = (reason: string) => ({
  status: 400,
  error: { code: -32602, message: expect.stringContaining(reason) as string },
});

describe("a permission form that was sent before a restart", () => {
  it("can be answered once after the restart", async () => {
    const { host, restart, hasState } = await startRestartableHost(asking);
    const state = await askPermission(host);
    const restarted = await restart();
    expect(await permit(restarted, state)).toMatchObject(done);
    expect(await permit(restarted, state)).toMatchObject(refused("already used"));
    expect(await permit(await restart(), state)).toMatchObject(refused("already used"));
    expect([await hasState("keys.json"), await hasState("entries")]).toEqual([true, true]);
  });

  it("can't be answered again if it was answered before the restart", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const state = await askPermission(host);
    expect(await permit(host, state)).toMatchObject(done);
    expect(await permit(await restart(), state)).toMatchObject(refused("already used"));
  });

  it("denies the call if the user declines", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const state = await askPermission(host);
    const { result } = await permit(await restart(), state, "no");
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("denied by the user") as string }],
    });
  });

  it("allows all later calls if the answer is always", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const token = await addNamedToken(host.env, { name: "ann", mayApprove: true, now: 0 });
    const state = await askPermission({ ...host, token });
    const restarted = { ...(await restart()), token };
    expect(await permit(restarted, state, "always")).toMatchObject(done);
    expect(await sendToolCall(restarted, ECHO, hi)).toMatchObject(done);
  });

  it("is sent again if the client's next request has no answer", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const requestState = await askPermission(host);
    const restarted = await restart();
    const again = await sendToolCall(restarted, ECHO, hi, { params: { requestState, inputResponses: {} } });
    expect(again.result).toMatchObject({ resultType: "input_required", inputRequests: { permission: {} } });
    expect(await permit(restarted, again.result!.requestState!)).toMatchObject(done);
  });

  it("can't be answered with another token, not even with a new token of the same name", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const tokenOf = (name: string) => addNamedToken(host.env, { name, mayApprove: true, now: 0 });
    const [ann, bob] = [await tokenOf("ann"), await tokenOf("bob")];
    const state = await askPermission({ ...host, token: ann });
    const restarted = await restart();
    for (const token of [bob, host.token])
      expect(await permit({ ...restarted, token }, state)).toMatchObject(refused("another client"));
    expect(await permit({ ...restarted, token: ann }, state, "once", { text: "other" })).toMatchObject(
      refused("another request"),
    );
    await deleteNamedToken(host.env, "ann");
    const replaced = await tokenOf("ann");
    expect(await permit({ ...restarted, token: replaced }, state)).toMatchObject(refused("another client"));
  });

  it("can't be answered at another profile", async () => {
    const profiles = { other: { servers: ["s"] } };
    const { host, restart } = await startRestartableHost({ ...asking, profiles });
    const state = await askPermission(host);
    const restarted = await restart();
    const url = `${restarted.url}/p/other`;
    expect(await permit({ ...restarted, url }, state)).toMatchObject(refused("did not issue it"));
    expect(await permit(restarted, state)).toMatchObject(done);
  });

  it("can't be answered with a forged request state", async () => {
    const { host, restart } = await startRestartableHost(asking);
    const state = await askPermission(host);
    const restarted = await restart();
    const [keyId, encrypted] = state.split(".") as [string, string];
    const changed = `${encrypted.slice(0, 40)}${encrypted[40] === "A" ? "B" : "A"}${encrypted.slice(41)}`;
    for (const forged of ["", "AAAA", `${keyId}.`, `${keyId}.${changed}`, `${state}x`, encrypted])
      expect(await permit(restarted, forged)).toMatchObject(refused("did not issue it"));
    expect(await permit(restarted, state)).toMatchObject(done);
  });

  it("does not allow a call that a new rule denies", async () => {
    const { host, restart, configure } = await startRestartableHost(asking);
    const state = await askPermission(host);
    await configure({ ...asking, permissions: { ask: ["s:echo"], deny: ["s:echo"] } });
    const { result } = await permit(await restart(), state);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("denied by rule") as string }],
    });
  });

  it.each([
    ["the definition of its server has changed", { servers: { s: scriptedLegacy("--pages=2") } }],
    ["another rule asks for permission", { permissions: { ask: ["s:*"] } }],
  ])("is sent again if %s", async (_, change) => {
    const { host, restart, configure } = await startRestartableHost(asking);
    const state = await askPermission(host);
    await configure({ ...asking, ...change });
    const restarted = await restart();
    const again = await permit(restarted, state);
    expect(again.result).toMatchObject({ resultType: "input_required", inputRequests: { permission: {} } });
    expect(await permit(restarted, again.result!.requestState!)).toMatchObject(done);
  });
});

describe("a question of a modern server that was sent before a restart", () => {
  const startAskingServer = async () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const question = { method: "elicitation/create", params: { message: "?", requestedSchema } };
    const server = await startScriptedModern(
      { tools: {} },
      {
        "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
        "tools/call": ({ requestState, inputResponses }) =>
          requestState === undefined
            ? { resultType: "input_required", requestState: "upstream", inputRequests: { "ask-1": question } }
            : { content: [{ type: "text", text: JSON.stringify({ requestState, inputResponses }) }] },
      },
    );
    onTestFinished(() => server.close());
    return server;
  };
  const config = (url: string) => ({ servers: { s: { url } }, permissions: { allow: ["*"] } });
  const ask = async (host: Host) => (await sendToolCall(host, "s__t")).result!.requestState!;

  it("can be answered once after the restart, and the server gets its own state back", async () => {
    const server = await startAskingServer();
    const { host, restart } = await startRestartableHost(config(server.url));
    const state = await ask(host);
    const restarted = await restart();
    const { result } = await sendAnswer(restarted, "s__t", state, { name: "Ann" });
    expect(JSON.parse(result!.content![0]!.text)).toEqual({
      requestState: "upstream",
      inputResponses: { "ask-1": { action: "accept", content: { name: "Ann" } } },
    });
    const again = await sendAnswer(restarted, "s__t", state, { name: "Ann" });
    expect(again).toMatchObject(refused("already used"));
    expect(server.paramsOf("tools/call")).toHaveLength(2);
  });

  it("can't be answered if another server has its name now", async () => {
    const [server, other] = [await startAskingServer(), await startAskingServer()];
    const { host, restart, configure } = await startRestartableHost(config(server.url));
    const state = await ask(host);
    await configure(config(other.url));
    expect(await sendAnswer(await restart(), "s__t", state, { name: "Ann" })).toMatchObject(refused("has changed"));
    expect(other.paramsOf("tools/call")).toEqual([]);
  });

  it("can't be answered if a new rule denies the tool", async () => {
    const server = await startAskingServer();
    const { host, restart, configure } = await startRestartableHost(config(server.url));
    const state = await ask(host);
    await configure({ ...config(server.url), permissions: { deny: ["s:t"] } });
    const { result } = await sendAnswer(await restart(), "s__t", state, { name: "Ann" });
    expect(result).toMatchObject({ isError: true });
    expect(server.paramsOf("tools/call")).toHaveLength(1);
  });
});

it("a parked call ends with its host, and its request state is refused", async () => {
  const { host, restart } = await startRestartableHost({ ...asking, permissions: { allow: ["*"] } });
  const { result } = await sendToolCall(host, "s__ask");
  const late = await sendAnswer(await restart(), "s__ask", result!.requestState!, { name: "Ann" });
  expect(late).toMatchObject(refused("restarted"));
});

it("parked calls, and calls without questions, store neither keys nor entries", async () => {
  const { host, hasState } = await startRestartableHost({ ...asking, permissions: { allow: ["*"] } });
  expect(await sendToolCall(host, ECHO, hi)).toMatchObject(done);
  const { result } = await sendToolCall(host, "s__ask");
  await sendAnswer(host, "s__ask", result!.requestState!, { name: "Ann" });
  expect([await hasState("keys.json"), await hasState("entries")]).toEqual([false, false]);
});

it.each([
  ["has expired by the wall clock", 600_000, "expired"],
  ["was issued in the future, because the clock was set back", -3_600_000, "clock was set back"],
])("a permission form is refused after a restart if it %s", async (_, shiftMs, reason) => {
  const host = await startRunningHost(asking.servers, {}, asking.permissions);
  const state = await askPermission(host);
  const restarted = await restartHost(host, { clock: { ...systemClock, now: () => Date.now() + shiftMs } });
  onTestFinished(restarted.close);
  expect(await permit(restarted, state)).toMatchObject(refused(reason));
});
