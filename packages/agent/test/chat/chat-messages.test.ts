/** Tests the messages of a chat as front ends get them, its title, and the instructions for the model. */
import type { ChatMessage } from "@plugboard/contracts";
import { chatTitle } from "#chat/chat-title.js";
import { modelVariables, systemPrompt } from "#chat/index.js";
import { showEvent, showMessage } from "#chat/show-event.js";
import { describe, expect, it } from "vitest";

const ask = (...texts: string[]): ChatMessage => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});

describe("showMessage and showEvent", () => {
  it("leave out reasoning without text, and the metadata and ids of providers", () => {
    const metadata = { own: { signature: "s" } };
    const messages: ChatMessage[] = [
      { role: "user", content: [{ type: "text", text: "Hi" }], summary: true },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "", metadata },
          { type: "reasoning", text: "Hm.", metadata },
          { type: "text", text: "" },
          { type: "tool_call", callId: "1", modelCallId: "m1", tool: "t", args: {}, metadata },
        ],
        cancelled: true,
      },
      { role: "tool", content: [{ type: "tool_result", callId: "1", tool: "t", status: "ok", text: "r" }] },
    ];
    const shown = [
      { role: "user", content: [{ type: "text", text: "Hi" }], summary: true },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "" },
          { type: "tool_call", callId: "1", tool: "t", args: {} },
        ],
        cancelled: true,
      },
      { role: "tool", content: [{ type: "tool_result", callId: "1", tool: "t", status: "ok", text: "r" }] },
    ];
    expect(messages.map(showMessage)).toEqual(shown);
    expect(showEvent({ type: "message.added", message: messages[1]! })).toEqual({
      type: "message.added",
      message: shown[1],
    });
    expect(showEvent({ type: "compacted", removedMessages: 2, messages })).toEqual({
      type: "compacted",
      removedMessages: 2,
      messages: shown,
    });
  });
});

describe("chatTitle", () => {
  it.each<[string, ChatMessage[], string]>([
    ["is empty without messages", [], ""],
    ["is the last text part of the first message", [ask("attached", " Hello\n  there "), ask("later")], "Hello there"],
    [
      "is the message as the user typed it",
      [{ ...ask("<untrusted>"), shownText: "/docs:review" } as ChatMessage],
      "/docs:review",
    ],
    ["skips a message without text", [ask(), ask(" "), ask("Hi")], "Hi"],
    [
      "skips a summary and answers",
      [
        { ...ask("old"), summary: true } as ChatMessage,
        { role: "assistant", content: [{ type: "text", text: "a" }] },
        ask("Hi"),
      ],
      "Hi",
    ],
    [
      "skips media",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image", data: "", mimeType: "image/png" },
          ],
        },
      ],
      "See",
    ],
    ["can be one character", [ask("x")], "x"],
    ["has up to 60 characters", [ask("x".repeat(60))], "x".repeat(60)],
    ["cuts a longer text", [ask("🔌".repeat(61))], `${"🔌".repeat(59)}…`],
    ["shows hidden characters", [ask("a\u001bb")], "a<U+001B>b"],
  ])("%s", (_, messages, title) => {
    expect(chatTitle(messages)).toBe(title);
  });
});

it("systemPrompt names the folder, the platform and the user's instructions", () => {
  const plain = systemPrompt({ cwd: "/work", platform: "linux" });
  expect(plain).toMatch(/The working folder is \/work on linux\.$/);
  expect(systemPrompt({ cwd: "/work", platform: "linux", instructions: "Be kind." })).toBe(`${plain}\n\nBe kind.`);
});

it("modelVariables lists each variable of a model once", () => {
  expect(modelVariables()).toEqual([
    "PLUGBOARD_MODEL",
    "PLUGBOARD_MODEL_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "PLUGBOARD_MODEL_KEY",
  ]);
});
