/** Tests the options that the SDK gets for a request, for each wire format. */
import type { ChatMessage } from "@plugboard/contracts";
import type { ModelRequest } from "@plugboard/agent";
import { toCallOptions } from "#models/to-call-options.js";
import { describe, expect, it } from "vitest";
import { definition } from "../helpers/scripted-turn.ts";

const { signal } = new AbortController();
const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "Be kind.",
  messages: [],
  tools: [],
  signal,
  ...fields,
});
const promptOf = (messages: readonly ChatMessage[], wire: "messages" | "responses" | "chat" = "chat") =>
  toCallOptions(request({ messages }), wire).prompt.slice(1);
const image = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" } as const;
const sound = { type: "audio", data: "c291bmQ=", mimeType: "audio/wav" } as const;
const text = (value: string) => ({ type: "text", text: value }) as const;
const file = { type: "file", data: "aW1hZ2U=", mediaType: "image/png" };
const system = { role: "system", content: "Be kind." };

describe("the options of a request", () => {
  it("have only the fields that are set", () => {
    expect(toCallOptions(request(), "chat")).toEqual({ prompt: [system], abortSignal: signal });
    expect(toCallOptions(request({ maxOutputTokens: 5, temperature: 0, stopSequences: ["a"] }), "chat")).toEqual({
      prompt: [system],
      abortSignal: signal,
      maxOutputTokens: 5,
      temperature: 0,
      stopSequences: ["a"],
    });
  });

  it("say that OpenAI stores nothing", () => {
    expect(toCallOptions(request(), "responses").providerOptions).toEqual({ openai: { store: false } });
  });

  it("have the tools and the tool choice", () => {
    const tools = [definition("a"), { name: "b", inputSchema: {} }];
    expect(toCallOptions(request({ tools }), "chat")).toMatchObject({
      tools: [
        { type: "function", name: "a", description: "Runs a", inputSchema: { type: "object" } },
        { type: "function", name: "b", inputSchema: {} },
      ],
      toolChoice: { type: "auto" },
    });
    expect(toCallOptions(request({ tools: tools.slice(1) }), "chat").tools).toHaveLength(1);
    expect(toCallOptions(request({ tools }), "chat").tools?.[1]).not.toHaveProperty("description");
    expect(toCallOptions(request({ tools, toolChoice: "required" }), "chat").toolChoice).toEqual({ type: "required" });
  });
});

describe("the messages of a request", () => {
  it("have texts and media of the user", () => {
    expect(promptOf([{ role: "user", content: [text("Look"), image] }])).toEqual([
      { role: "user", content: [text("Look"), file] },
    ]);
  });

  it("have the parts of an answer with their metadata", () => {
    const metadata = { own: { signature: "s" } };
    const content = [
      { type: "reasoning", text: "Hm.", metadata },
      text("Yes."),
      { type: "tool_call", callId: "1", tool: "look", args: { a: 1 }, metadata },
    ] as const;
    expect(promptOf([{ role: "assistant", content }])).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: metadata },
          text("Yes."),
          { type: "tool-call", toolCallId: "1", toolName: "look", input: { a: 1 }, providerOptions: metadata },
        ],
      },
    ]);
  });

  it("have the ids that the model gave to its calls, also in the results", () => {
    const call = { type: "tool_call", callId: "n1", modelCallId: "functions.look:0", tool: "look", args: {} } as const;
    const messages = [
      { role: "assistant", content: [call] },
      { role: "tool", content: [{ ...result, callId: "n1" }] },
    ] as const;
    expect(promptOf(messages)).toMatchObject([
      { content: [{ type: "tool-call", toolCallId: "functions.look:0" }] },
      { content: [{ type: "tool-result", toolCallId: "functions.look:0" }] },
    ]);
  });

  const result = { type: "tool_result", callId: "1", tool: "look", status: "ok", text: "Seen" } as const;
  const sdkResult = (output: object) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "look", output }],
  });

  it("have the text of a result, and whether it is an error", () => {
    expect(promptOf([{ role: "tool", content: [result] }])).toEqual([sdkResult({ type: "text", value: "Seen" })]);
    const failed = { ...result, status: "error", media: [image] } as const;
    for (const wire of ["chat", "messages"] as const)
      expect(promptOf([{ role: "tool", content: [failed] }], wire)).toMatchObject([
        sdkResult({ type: "error-text", value: "Seen" }),
      ]);
    expect(promptOf([{ role: "tool", content: [failed] }])).toHaveLength(1);
  });

  it("have images inside a result, or after it for Chat Completions", () => {
    const content = [{ ...result, media: [image, sound] }];
    const value = "Seen\n[audio, audio/wav, not shown]";
    const images = [{ type: "image-data", data: "aW1hZ2U=", mediaType: "image/png" }];
    expect(promptOf([{ role: "tool", content }], "responses")).toEqual([
      sdkResult({ type: "content", value: [{ type: "text", text: value }, ...images] }),
    ]);
    expect(promptOf([{ role: "tool", content }], "chat")).toEqual([
      sdkResult({ type: "text", value }),
      { role: "user", content: [text("Image in the result of look (untrusted content):"), file] },
    ]);
  });
});

describe("the cache breakpoints", () => {
  const mark = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
  const messages: ChatMessage[] = [
    { role: "user", content: [text("1")] },
    { role: "assistant", content: [text("2")] },
    { role: "tool", content: [] },
    { role: "assistant", content: [text("4")] },
    { role: "user", content: [text("5")] },
    { role: "assistant", content: [text("6")] },
  ];

  it("are after the system prompt, the last two inputs and the last tool, only for Anthropic", () => {
    const tools = [definition("a"), definition("b")];
    const marked = toCallOptions(request({ messages, tools }), "messages");
    expect(marked.prompt.map((message) => message.providerOptions !== undefined)).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
    expect(marked.prompt[0]).toEqual({ ...system, ...mark });
    expect(marked.tools?.map((tool) => "providerOptions" in tool)).toEqual([false, true]);
    expect(marked.tools?.[1]).toMatchObject(mark);
    for (const wire of ["chat", "responses"] as const)
      expect(JSON.stringify(toCallOptions(request({ messages, tools }), wire))).not.toContain("cacheControl");
    expect(toCallOptions(request({ messages }), "messages")).not.toHaveProperty("tools");
  });
});
