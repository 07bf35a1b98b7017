/** Tests who is asked for permission for a client's call: the user of the client, or a user who watches the inbox. */
import { EventEmitter, once } from "node:events";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import { sendToolCall } from "./helpers/raw-modern-client.ts";
import { watchInbox } from "./helpers/watch-inbox.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startRunningHost({ s: scriptedLegacy() }, {}, { allow: ["*"], ask: ["s:echo"] });
});
afterAll(() => host.close());

const TOOL = "s__echo";
const hi = { text: "hi" };
const noForms = { capabilities: {} };

describe.each(clientKinds)("a %s client whose call needs permission", (kind) => {
  it("is sent a form, and gets the result when its user allows the call", async () => {
    const asked: string[] = [];
    const front = await openClient(kind, host, (message) => {
      asked.push(message);
      return { action: "accept", content: { decision: "once" } };
    });
    expect(await front.call(TOOL, hi)).toBe("hi");
    expect(await front.call(TOOL, hi)).toBe("hi");
    await front.close();
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^Allow the call of the tool "s:echo"\?\nArguments: \{"text":"hi"\}\n/);
  });

  it("gets a result that says that the user denied the call, when its user declines", async () => {
    const front = await openClient(kind, host, () => ({ action: "decline" }));
    expect(await front.call(TOOL, hi)).toContain('"s:echo" is denied by the user.');
    await front.close();
  });
});

describe("a client that can't be asked", () => {
  it("gets its result when a user who watches the inbox allows the call", async () => {
    const asked = await watchInbox(host, () => ({ type: "permission", decision: "once" }));
    const { result } = await sendToolCall(host, TOOL, hi, noForms);
    expect(result?.content).toEqual([{ type: "text", text: "hi" }]);
    const requestedBy = { kind: "front", principal: { id: "owner", name: "owner" } };
    expect(asked).toMatchObject([{ type: "permission", owner: "workspace", requestedBy, tool: "echo", arguments: hi }]);
  });

  it("gets the reason that a user who watches the inbox gives for a denial", async () => {
    await watchInbox(host, () => ({ type: "permission", decision: "no", reason: "not today" }));
    const { result } = await sendToolCall(host, TOOL, hi, noForms);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("not today") as string }],
    });
  });

  it("gets a denial after a few seconds if nobody watches the inbox, and the denial says how to be asked next time", async () => {
    const { result } = await sendToolCall(host, TOOL, hi, noForms);
    const text = expect.stringMatching(/nobody is there.*`plugboard inbox --watch`.*change the rule/s) as string;
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
    expect(JSON.stringify(result)).toContain("--may-approve");
  });
});

it("a permission question to a modern client has a request state that is accepted once", async () => {
  const first = await sendToolCall(host, TOOL, hi);
  expect(first.result).toMatchObject({ resultType: "input_required" });
  const inputResponses = { permission: { action: "accept", content: { decision: "once" } } };
  const params = { requestState: first.result!.requestState, inputResponses };
  expect((await sendToolCall(host, TOOL, { text: "other" }, { params })).error?.message).toContain("another request");
  expect((await sendToolCall(host, TOOL, hi, { params })).result?.content).toEqual([{ type: "text", text: "hi" }]);
  expect((await sendToolCall(host, TOOL, hi, { params })).error?.message).toContain("already used");
});

it.each([
  ["declined", { action: "decline" }],
  ["dismissed", { action: "cancel" }],
])("a %s form denies its call, also if another answer has allowed the tool meanwhile", async (_, refusal) => {
  const [first, second] = [await sendToolCall(host, TOOL, hi), await sendToolCall(host, TOOL, hi)];
  const answerTo = ({ result }: typeof first, permission: object) =>
    sendToolCall(host, TOOL, hi, {
      params: { requestState: result!.requestState, inputResponses: { permission } },
    });
  const session = { action: "accept", content: { decision: "session" } };
  expect((await answerTo(second, session)).result?.content).toEqual([{ type: "text", text: "hi" }]);
  expect((await answerTo(first, refusal)).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("denied by the user") as string }],
  });
  const [decision] = await host.daemon.workspace.permissions.decisions();
  await host.daemon.workspace.permissions.revoke(decision!.id);
});

describe.each(clientKinds)("a %s client without a token of its own", (kind) => {
  it.each(["always", "server", "everyone"])(
    "can't answer its form with %s, which would count for the owner",
    async (decision) => {
      const front = await openClient(kind, host, () => ({ action: "accept", content: { decision } }));
      expect(await front.call(TOOL, hi)).not.toBe("hi");
      await front.close();
      expect(await host.daemon.workspace.permissions.decisions()).toEqual([]);
    },
  );
});

it("an answer for the session allows later calls of the same client without a question", async () => {
  let asked = 0;
  const front = await openClient("legacy over HTTP", host, () => {
    asked += 1;
    return { action: "accept", content: { decision: "session" } };
  });
  for (const text of ["a", "b"]) expect(await front.call(TOOL, { text })).toBe(text);
  await front.close();
  expect(asked).toBe(1);
});

it("a form is withdrawn when another answer allows the tool, and its call runs", async () => {
  const asked = new EventEmitter();
  const front = await openClient("legacy over HTTP", host, (message) => {
    if (!message.includes("first")) return { action: "accept", content: { decision: "session" } };
    asked.emit("first");
    return new Promise(() => {});
  });
  const isAsked = once(asked, "first");
  const first = front.call(TOOL, { text: "first" });
  await isAsked;
  expect(await front.call(TOOL, { text: "second" })).toBe("second");
  expect(await first).toBe("first");
  await front.close();
});
