import { applyChatEvent, fromView } from "#views/chat/chat-state.js";
import { describe, expect, it } from "vitest";

describe("the state of a chat", () => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const view = {
    chat: {
      id: "c",
      title: "",
      cwd: "/",
      state: "idle",
      createdAt: 0,
      updatedAt: 0,
      messages: 0,
      usage,
      context: { tokens: 0 },
    },
    caller: { kind: "chat", id: "c" },
    messages: [],
    turn: [],
    queue: [],
    questions: [],
    seq: 0,
  } as const;

  it("shows the streamed text until the message is added, and why a turn ended", () => {
    let state = fromView(view);
    state = applyChatEvent(state, { type: "turn.started", input: "1", model: "m" });
    state = applyChatEvent(state, { type: "text.delta", text: "Hel" });
    state = applyChatEvent(state, { type: "text.delta", text: "lo" });
    expect([state.running, state.text]).toEqual([true, "Hello"]);
    const message = { role: "assistant", content: [{ type: "text", text: "Hello" }] } as const;
    state = applyChatEvent(state, { type: "message.added", message });
    expect([state.text, state.messages]).toEqual(["", [message]]);
    state = applyChatEvent(state, { type: "turn.finished", input: "1", reason: "step_limit", usage });
    expect([state.running, state.end]).toEqual([false, "The turn reached its limit of steps."]);
  });
});
