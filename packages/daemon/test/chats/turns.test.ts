/** Tests turns from end to end: the SDK of each provider over HTTP, a running host, and real MCP servers. */
import type { ChatEvent } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { openScriptedChat, PROVIDERS } from "../helpers/scripted-chat.ts";

const call = (tool: string, args: object = {}) => ({ call: `mcp__t__${tool}`, args });
const done = { parts: [{ text: "Done." }] };

const ofType = <Type extends ChatEvent["type"]>(events: readonly ChatEvent[], type: Type) =>
  events.filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type);

describe.each(PROVIDERS)("a turn with %s", (provider) => {
  it("runs the calls of one answer in parallel, and returns their results in the order of the calls", async () => {
    const script = [{ parts: [call("meet"), call("echo", { text: "hi" }), call("meet")] }, done];
    const chat = await openScriptedChat(script, { provider });
    await chat.send("Meet");
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    const results = chat.model.requests[1]!.results.map(({ text }) => text);
    expect(results).toMatchObject(["met", "hi", "met"].map((text) => expect.stringContaining(text) as string));
  });

  it("goes on after a call that the user denied, and the model reads the reason", async () => {
    const chat = await openScriptedChat([{ parts: [call("echo", { text: "hi" })] }, done], {
      provider,
      permissions: {},
    });
    await chat.send("Say hi");
    const question = await chat.question();
    const { inbox } = await chat.api.chatWorkspace(chat.id);
    await inbox.answer(question.id, { type: "permission", decision: "no", reason: "not on a Sunday" });
    expect(await chat.until("tool.finished")).toMatchObject({ status: "denied" });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(chat.model.requests[1]?.results[0]?.text).toContain("not on a Sunday");
    expect(await chat.journal()).toEqual([]);
  });

  it("goes on after a call that failed, and the model reads the error as untrusted text", async () => {
    const chat = await openScriptedChat([{ parts: [call("fail")] }, done], { provider });
    await chat.send("Fail");
    expect(await chat.until("tool.finished")).toMatchObject({ status: "error" });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    const [result] = chat.model.requests[1]!.results;
    expect(result?.text).toMatch(/<untrusted source="t:fail">\nthe disk is full\n<\/untrusted>/);
    if (provider === "anthropic") expect(result?.isError).toBe(true);
  });

  it("ends when it is cancelled in a call, tells the server, and can be continued", async () => {
    const chat = await openScriptedChat([{ parts: [{ text: "Waiting." }, call("wait")] }, done], { provider });
    await chat.send("Wait");
    await chat.until("tool.started");
    await expect.poll(() => chat.journal()).toEqual(["wait"]);
    await chat.api.chats.cancel(chat.id);
    expect(await chat.until("tool.finished")).toMatchObject({ status: "cancelled" });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "cancelled" });
    await expect.poll(() => chat.journal()).toEqual(["wait", "cancelled"]);
    // The model server rejects a history with a call that has no result.
    await chat.send("Go on");
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(chat.model.requests[1]?.results[0]?.text).toContain("cancelled");
  });

  it("goes on when a server dies in a call, and offers its tools at their old place when it is back", async () => {
    let restarted = () => {};
    const waitFor = new Promise<void>((resolve) => (restarted = resolve));
    const other = { call: "mcp__o__echo", args: { text: "here" } };
    const script = [
      { parts: [call("die")] },
      { parts: [{ text: "One moment." }, { waitFor }, other] },
      { parts: [call("echo", { text: "back" })] },
      done,
    ];
    const chat = await openScriptedChat(script, { provider });
    const { servers } = await chat.api.chatWorkspace(chat.id);
    await servers.connect("o", { definition: chat.server("o") });
    await chat.send("Die");
    expect(await chat.until("tool.finished")).toMatchObject({ status: "error" });
    await chat.until("text.delta");
    await servers.connect("t");
    restarted();
    expect(await chat.until("tool.finished")).toMatchObject({ status: "ok", result: { text: "here" } });
    expect(await chat.until("tool.finished")).toMatchObject({ status: "ok", result: { text: "back" } });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    const [before, , after] = chat.model.requests.map(({ toolNames }) => toolNames);
    expect(before).toHaveLength(12);
    expect(after).toEqual(before);
  });

  it("offers tools that appear during the turn in the next step, at the end of the list", async () => {
    let connected = () => {};
    const waitFor = new Promise<void>((resolve) => (connected = resolve));
    const script = [
      { parts: [{ text: "One moment." }, { waitFor }, call("grow")] },
      { parts: [call("grown"), { call: "mcp__late__echo", args: { text: "hi" } }] },
      done,
    ];
    const chat = await openScriptedChat(script, { provider });
    await chat.send("Grow");
    await chat.until("text.delta");
    const { servers } = await chat.api.chatWorkspace(chat.id);
    await servers.connect("late", { definition: chat.server("late") });
    connected();
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    const [first, second, third] = chat.model.requests.map(({ toolNames }) => toolNames);
    const names = (server: string, ...tools: string[]) => tools.map((tool) => `mcp__${server}__${tool}`);
    const known = names("t", "meet", "wait", "fail", "die", "grow", "echo");
    expect(first).toEqual(known);
    expect(second?.slice(0, known.length)).toEqual(known);
    expect(second?.slice(known.length).toSorted()).toEqual(
      [...names("late", "meet", "wait", "fail", "die", "grow", "echo"), ...names("t", "grown")].toSorted(),
    );
    expect(third).toEqual(second);
    expect(ofType(chat.events, "tool.finished").map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  });

  it("is compacted when the context is almost full, and goes on", async () => {
    const script = [
      { parts: [call("echo", { text: "the key is under the mat" })] },
      { parts: [call("echo", { text: "again" })], usage: { input: 900, output: 10 } },
      { parts: [{ text: "The key is under the mat." }] },
      done,
    ];
    const chat = await openScriptedChat(script, { provider, contextTokens: 1000 });
    await chat.send("Find the key");
    expect((await chat.until("compacted")).removedMessages).toBeGreaterThan(0);
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    const [, , summary, last] = chat.model.requests;
    expect(summary?.toolNames).toEqual([]);
    expect(JSON.stringify(last?.body)).toContain("The key is under the mat.");
    expect(JSON.stringify(last?.body)).toContain("Find the key");
  });

  it("ends at the limit of steps without the calls of the last answer, and can be continued", async () => {
    const script = [{ parts: [call("echo", { text: "1" })] }, { parts: [call("echo", { text: "2" })] }, done];
    const chat = await openScriptedChat(script, { provider, limits: { steps: 2 } });
    await chat.send("Count");
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "step_limit" });
    expect(await chat.journal()).toEqual(["echo"]);
    await chat.send("Go on");
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(chat.model.requests[2]?.results[1]?.text).toContain("the limit of steps");
  });

  it("ends at the limit of tokens", async () => {
    const usage = { input: 400, output: 100 };
    const script = [1, 2, 3].map((text) => ({ parts: [call("echo", { text })], usage }));
    const chat = await openScriptedChat(script, { provider, limits: { tokens: 900 } });
    await chat.send("Count");
    expect(await chat.until("turn.finished")).toMatchObject({
      reason: "token_limit",
      usage: { inputTokens: 800, outputTokens: 200 },
    });
    expect(await chat.journal()).toEqual(["echo"]);
  });

  it("asks the model again when the answer breaks off, and runs no call of the broken answer", async () => {
    let breakOff = () => {};
    const waitFor = new Promise<void>((resolve) => (breakOff = resolve));
    const broken = { parts: [{ text: "Half" }, call("echo"), { waitFor }, { breakOff: "socket" as const }] };
    const chat = await openScriptedChat([broken, done], { provider });
    await chat.send("Hi");
    await chat.until("text.delta");
    breakOff();
    expect(await chat.until("step.retried")).toMatchObject({ attempt: 1 });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(await chat.journal()).toEqual([]);
    const { messages } = await chat.api.chats.resume(chat.id);
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "Done." }] });
  });

  it.each([
    [429, "rate_limit_error"],
    [529, "overloaded_error"],
  ])("asks the model again after the delay of an answer with status %i", async (status, type) => {
    const refused = { status, type, headers: { "retry-after-ms": "70" } };
    const chat = await openScriptedChat([refused, done], { provider });
    await chat.send("Hi");
    expect(await chat.until("step.retried")).toMatchObject({ attempt: 1, delayMs: 70 });
    expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(chat.model.requests).toHaveLength(2);
  });
});

it("a temporary chat runs turns, but is neither listed nor stored", async () => {
  const chat = await openScriptedChat([done], { temporary: true });
  await chat.send("Hi");
  expect(await chat.until("turn.finished")).toMatchObject({ reason: "done" });
  expect(await chat.api.chats.list()).toEqual([]);
  await chat.api.chats.close(chat.id);
  expect(await chat.api.chats.list()).toEqual([]);
});
