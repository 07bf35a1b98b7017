/** Tests which messages of clients a chat accepts. */
import { describe, expect, it } from "vitest";
import { checkChatInput } from "#chats/check-chat-input.js";

describe("checkChatInput", () => {
  it.each([
    { text: "hi" },
    { text: "", resources: [{ server: "s", uri: "a://b" }] },
    { text: "", prompt: { server: "s", name: "p" } },
    { text: "hi", context: [{ source: "s", text: "t" }], resources: [] },
  ])("accepts %j", (input) => {
    expect(() => checkChatInput(input)).not.toThrow();
  });

  it.each([
    [undefined, '"text"'],
    ["hi", '"text"'],
    [{}, '"text"'],
    [{ text: 5 }, '"text"'],
    [{ text: "hi", resources: {} }, '"resources"'],
    [{ text: "hi", resources: [{ server: "s" }] }, '"resources"'],
    [{ text: "hi", resources: [{ uri: "a://b" }] }, '"resources"'],
    [{ text: "hi", resources: ["a://b"] }, '"resources"'],
    [{ text: "hi", context: [{ source: "s" }] }, '"context"'],
    [{ text: "hi", context: [{ text: "t" }] }, '"context"'],
    [{ text: "hi", prompt: { server: "s" } }, '"prompt"'],
    [{ text: "hi", prompt: { name: "p" } }, '"prompt"'],
    [{ text: "" }, "must not be empty"],
    [{ text: "", resources: [] }, "must not be empty"],
    [{ text: "", context: [{ source: "s", text: "t" }] }, "must not be empty"],
  ])("rejects %j", (input, message) => {
    expect(() => checkChatInput(input)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message) as string }) as object,
    );
  });
});
