import { ChatSession } from "#tui/session/chat-session.js";
import type { ChatView, HostApi, HostEvent } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { chatInfo, chatView } from "../helpers/chat-fixtures.ts";
import { waitUntil } from "../helpers/scripted-host.ts";

/** A session whose host emits these events and returns these views, one for each `create` and `resume`. */
async function openSession(events: readonly HostEvent[], ...views: ChatView[]) {
  let start = () => {};
  const started = new Promise<void>((resolve) => (start = resolve));
  const next = async () => views.shift()!;
  const sent: string[] = [];
  const api = {
    caller: { kind: "chat", id: "terminal" },
    chats: {
      create: next,
      resume: next,
      send: async (_: string, input: { text: string }) => {
        sent.push(input.text);
        return { id: "i", input };
      },
    },
    chatWorkspace: async () => ({ status: async () => [], tools: { list: async () => [] } }),
    async *events() {
      await started;
      yield* events;
      await new Promise(() => {});
    },
  } as unknown as HostApi;
  const listener = { onChange() {}, onQuestion() {}, onServersChange() {}, onServerNeeds() {}, onEnd() {} };
  const session = new ChatSession({ api, spec: { cwd: "/" }, now: () => 0, listener });
  session.follow(0);
  const chat = await session.create();
  start();
  return { session, chat, sent };
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
const added = (seq: number, text: string): HostEvent => ({
  seq,
  at: 0,
  type: "chat.event",
  chat: "chat-1",
  event: { type: "message.added", message: user(text) },
});
const texts = ({ transcript }: { transcript: { entries: readonly object[] } }) =>
  transcript.entries.map((entry) => ("text" in entry ? entry.text : ""));

describe("ChatSession", () => {
  it("shows the whole chat again after it has missed events, and applies later events once", async () => {
    const missed: HostEvent = { seq: 4, at: 0, type: "events.missed", count: 3 };
    const again = chatView({ messages: [user("one"), user("two")], seq: 6 });
    const { chat } = await openSession(
      [added(1, "one"), missed, added(6, "two"), added(7, "three")],
      chatView(),
      again,
    );
    await waitUntil(() => expect(texts(chat)).toHaveLength(4));
    expect(texts(chat)).toEqual([expect.stringContaining("too slow"), "one", "two", "three"]);
  });

  it("reopens a chat that was closed elsewhere when the user sends a message", async () => {
    const closed: HostEvent = { seq: 1, at: 0, type: "chat.event", chat: "chat-1", event: { type: "closed" } };
    const { session, chat, sent } = await openSession(
      [closed],
      chatView(),
      chatView({ chat: chatInfo({ title: "again" }) }),
    );
    await waitUntil(() => expect(chat.transcript.isClosed).toBe(true));
    await session.send({ text: "hello" }, chat);
    expect(sent).toEqual(["hello"]);
    expect(chat.transcript).toMatchObject({ isClosed: false, chat: { title: "again" } });
  });
});
