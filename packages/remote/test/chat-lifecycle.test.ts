/** Tests chats that are closed, resumed and watched at the same time. Runs in this process and over the socket. */
import { describe, expect, it, vi } from "vitest";
import { chatSpec, done, Follower, scriptedModel, withResolvers } from "./helpers/chat-fixtures.ts";
import { HOSTS } from "./helpers/contract-hosts.ts";

describe.each(HOSTS)("HostApi.chats %s", (_, start) => {
  it("opens a chat again for a caller that resumes it while it is being closed", async () => {
    const release = withResolvers();
    const { server, env } = await scriptedModel(
      done,
      { parts: [{ text: "Wait" }, { waitFor: release.promise }] },
      done,
    );
    const connect = await start();
    const [api, second] = [await connect("cli"), await connect("cli")];
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "First" });
    await follower.until("turn.finished");
    await api.chats.send(chat.id, { text: "Second" });
    await follower.until("text.delta");
    const closing = api.chats.close(chat.id);
    const views = [second.chats.resume(chat.id, { env }), second.chats.resume(chat.id, { env })];
    await closing;
    release.resolve();
    const [view] = await Promise.all(views);
    expect(view?.chat).toMatchObject({ state: "idle" });
    expect(view?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    await second.chats.send(chat.id, { text: "Third" });
    expect(await new Follower(second, chat.id, view!.seq).until("turn.finished")).toMatchObject({ reason: "done" });
    expect(JSON.stringify(server.requests[2]?.body)).toContain("Second");
  });

  it("stores that a chat was cleared", async () => {
    const { env } = await scriptedModel(done);
    const api = await (await start())("cli");
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    await api.chats.send(chat.id, { text: "First" });
    await new Follower(api, chat.id, seq).until("turn.finished");
    await api.chats.clear(chat.id);
    await api.chats.close(chat.id);
    const { messages, chat: cleared } = await api.chats.resume(chat.id);
    expect(messages).toEqual([]);
    expect(cleared.usage.outputTokens).toBe(1);
  });

  it("tells a slow watcher that it has missed events and must read the chat again", async () => {
    const { env } = await scriptedModel(done);
    const api = await (await start())("cli");
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    for (let n = 0; n < 20; n++) {
      await Promise.all(Array.from({ length: 60 }, (__, index) => api.chats.rename(chat.id, `${n}-${index}`)));
    }
    const follower = new Follower(api, chat.id, seq);
    expect(await follower.next()).toMatchObject({ type: "events.missed" });
    const view = await api.chats.resume(chat.id);
    expect(view.chat.title).toBe("19-59");
    await api.chats.send(chat.id, { text: "Hi" });
    const caughtUp = new Follower(api, chat.id, view.seq);
    await caughtUp.until("turn.finished");
    expect(caughtUp.events.map(({ type }) => type)).toContain("message.added");
  });

  it("closes a new chat whose caller has disconnected before the chat was open", async () => {
    const { env } = await scriptedModel();
    const connect = await start();
    const [api, other] = [await connect("cli"), await connect("cli")];
    const creating = api.chats.create(await chatSpec(env)).catch(() => {});
    await api.close();
    await creating;
    await vi.waitFor(async () => expect(await other.chats.list()).toEqual([]));
  });
});
