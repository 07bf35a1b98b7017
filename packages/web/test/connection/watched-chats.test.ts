import type { Chats, ChatView, HostEvent } from "@plugboard/contracts";
import { WatchedChats } from "#connection/watched-chats.js";
import { describe, expect, it } from "vitest";

/** Watches chats of a host. `left` are the ids of the chats that are no longer watched. */
function setup({ messages = [], hasDraft }: { messages?: readonly object[]; hasDraft: boolean }) {
  const left: string[] = [];
  const listeners: ((event: HostEvent) => void)[] = [];
  const chats = {
    resume: async () => ({ chat: { state: "idle" }, messages }) as unknown as ChatView,
    leave: async (id: string) => void left.push(id),
  };
  const watched = new WatchedChats({
    chats: () => chats as unknown as Chats,
    onEvent: (listener) => (listeners.push(listener), () => {}),
    hasDraft: () => hasDraft,
  });
  const emit = (type: string) =>
    listeners.forEach((listen) => listen({ type: "chat.event", chat: "c", event: { type } } as unknown as HostEvent));
  return { watched, left, emit };
}

describe("WatchedChats", () => {
  it.each([
    ["keeps watching a new chat with a draft", { messages: [], hasDraft: true, leaves: [] }],
    ["leaves a new chat without a draft", { messages: [], hasDraft: false, leaves: ["c"] }],
    ["leaves a stored chat with a draft", { messages: [{}], hasDraft: true, leaves: ["c"] }],
  ])("%s", async (_, { messages, hasDraft, leaves }) => {
    const { watched, left } = setup({ messages, hasDraft });
    await watched.open("c");
    watched.close("c");
    await Promise.resolve();
    expect(left).toEqual(leaves);
  });

  it("keeps watching a chat whose turn runs", async () => {
    const { watched, left, emit } = setup({ hasDraft: false });
    await watched.open("c");
    emit("turn.started");
    watched.close("c");
    await Promise.resolve();
    expect(left).toEqual([]);
  });
});
