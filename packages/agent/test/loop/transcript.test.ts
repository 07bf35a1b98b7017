/** Tests the text of a conversation for its summary, and the estimate of its size. */
import type { ChatMessage, ChatToolResult } from "@plugboard/contracts";
import { estimateTokens, transcript } from "#loop/transcript.js";
import { describe, expect, it } from "vitest";

const image = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" } as const;
const result = (fields: Partial<ChatToolResult>): ChatMessage => ({
  role: "tool",
  content: [{ type: "tool_result", callId: "1", tool: "look", status: "ok", text: "", ...fields }],
});

const messages: ChatMessage[] = [
  { role: "user", content: [{ type: "text", text: "Look" }, image] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Secret thought" },
      { type: "text", text: "I look." },
      { type: "tool_call", callId: "1", tool: "look", args: { at: "sky" } },
    ],
  },
  result({ text: "Stars", status: "error" }),
  result({ text: "Moon", untrusted: { source: "sky:look" } }),
];

describe("transcript", () => {
  it("names the role of each message, leaves out reasoning, and marks untrusted results", () => {
    expect(transcript(messages)).toBe(
      [
        "User: Look",
        "User: [image]",
        "Assistant: I look.",
        'Assistant called look with {"at":"sky"}',
        "Result of look (error): Stars",
        'Result of look (ok): <untrusted source="sky:look">\nMoon\n</untrusted>',
      ].join("\n\n"),
    );
  });

  it("cuts a result after 4000 characters", () => {
    expect(transcript([result({ text: "x".repeat(4000) })])).toBe(`Result of look (ok): ${"x".repeat(4000)}`);
    expect(transcript([result({ text: "x".repeat(4001) })])).toBe(`Result of look (ok): ${"x".repeat(4000)}\n[cut]`);
  });
});

describe("estimateTokens", () => {
  it("counts a token for four characters, and 1500 for an image", () => {
    expect(estimateTokens([])).toBe(0);
    expect(estimateTokens([{ role: "user", content: [{ type: "text", text: "x".repeat(9) }] }])).toBe(3);
    expect(estimateTokens([{ role: "user", content: [image] }])).toBe(1500);
    expect(estimateTokens([result({ text: "x".repeat(8), media: [image, image] })])).toBe(3002);
    expect(estimateTokens([result({ text: "x".repeat(8) })])).toBe(2);
  });

  it("counts the name and the arguments of a call, and reasoning", () => {
    const call = { type: "tool_call", callId: "1", tool: "look", args: { at: "sky!" } } as const;
    expect(estimateTokens([{ role: "assistant", content: [call] }])).toBe((4 + '{"at":"sky!"}'.length + 3) / 4);
    expect(estimateTokens([{ role: "assistant", content: [{ type: "reasoning", text: "x".repeat(8) }] }])).toBe(2);
  });
});
