/** Tests that a chat survives a host that is killed in the middle of a turn. */
import { randomUUID } from "node:crypto";
import { ChatRegistry } from "#chats/chat-registry.js";
import { createBareHost } from "@plugboard/host/core";
import { systemClock } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { isChatEvent, setup, startHost, waitFor } from "../helpers/host-process.ts";

const done = { parts: [{ text: "Done." }] };
const never = new Promise(() => {});

describe("a chat whose host is killed", () => {
  it("during a call goes on in the next host, with a result for the call", async () => {
    const calls = [{ call: "mcp__s__echo", args: { text: "hi" } }, { call: "mcp__s__ask" }];
    const { model, env, cwd, options } = await setup({ parts: calls }, done);
    const before = await startHost(env);
    const { chat, seq } = await before.api.chats.create({ cwd, ...options });
    expect(chat.interrupted).toBeUndefined();
    await before.api.chats.send(chat.id, { text: "Ask somebody" });
    await waitFor(before.api, seq, ({ type }) => type === "question.asked");
    await before.kill();

    const { api } = await startHost(env);
    expect(await api.chats.list()).toMatchObject([{ id: chat.id, state: "closed" }]);
    await api.chats.resume(chat.id, options);
    await api.chats.close(chat.id);
    expect(await api.chats.list()).toMatchObject([{ id: chat.id, state: "closed", interrupted: true }]);
    const view = await api.chats.resume(chat.id, options);
    expect(view.chat).toMatchObject({ state: "idle", interrupted: true });
    expect(view.messages).toMatchObject([
      { role: "user", content: [{ text: "Ask somebody" }] },
      { role: "assistant", content: [{ tool: "mcp__s__echo" }, { tool: "mcp__s__ask" }] },
      { role: "tool", content: [{ status: "cancelled" }, { status: "cancelled" }] },
    ]);
    await api.chats.send(chat.id, { text: "Go on" });
    await waitFor(api, view.seq, isChatEvent("turn.finished"));
    // Like real providers, the model server rejects a call without a result.
    expect(model.requests[1]?.results.map(({ text }) => text)).toEqual([
      expect.stringContaining("The program ended before this call had a result"),
      expect.stringContaining("The program ended before this call had a result"),
    ]);
    const after = await api.chats.resume(chat.id);
    expect(after.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
    expect(after.chat.interrupted).toBeUndefined();
    await api.chats.close(chat.id);
    expect((await api.chats.list())[0]).not.toHaveProperty("interrupted");
  });

  it("during an answer keeps the message of the user", async () => {
    const { model, env, cwd, options } = await setup(done, { parts: [{ text: "Let" }, { waitFor: never }] }, done);
    const before = await startHost(env);
    const { chat, seq } = await before.api.chats.create({ cwd, ...options });
    await before.api.chats.send(chat.id, { text: "First" });
    await waitFor(before.api, seq, isChatEvent("turn.finished"));
    const { seq: later } = await before.api.chats.resume(chat.id);
    await before.api.chats.send(chat.id, { text: "Second" });
    await waitFor(before.api, later, isChatEvent("text.delta"));
    await before.kill();

    const { api } = await startHost(env);
    const view = await api.chats.resume(chat.id, options);
    expect(view.chat.interrupted).toBe(true);
    expect(view.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await api.chats.send(chat.id, { text: "Third" });
    await waitFor(api, view.seq, isChatEvent("turn.finished"));
    expect(JSON.stringify(model.requests[2]?.body)).toMatch(/First.*Second.*Third/);
  });
});

it("a chat is open in one host at a time", async () => {
  const { env, cwd, options } = await setup({ parts: [{ text: "Let" }, { waitFor: never }] }, done);
  const first = await startHost(env);
  const { chat, seq } = await first.api.chats.create({ cwd, ...options });
  await first.api.chats.send(chat.id, { text: "First" });
  await waitFor(first.api, seq, isChatEvent("text.delta"));

  const host = await createBareHost({ env, config: [] });
  const second = new ChatRegistry({ host, clock: systemClock, newId: randomUUID });
  onTestFinished(async () => {
    await second.close();
    await host.close();
  });
  const chats = second.for({ kind: "cli", id: "second" });
  const holder = expect.stringContaining(`process ${first.pid} `);
  await expect(chats.resume(chat.id, options)).rejects.toMatchObject({ code: "CHAT_BUSY", details: { holder } });
  await first.api.chats.close(chat.id);
  const view = await chats.resume(chat.id, options);
  expect(view.messages[0]).toMatchObject({ content: [{ text: "First" }] });
});
