/** Tests how stream parts of the SDK are converted to those of the loop, with an SDK model in the same process. */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { ModelPart } from "@plugboard/agent";
import { sdkModel } from "#models/sdk-model.js";
import { describe, expect, it } from "vitest";

const usage = {
  inputTokens: { total: 10, noCache: 5, cacheRead: 3, cacheWrite: 2 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
};
const NO_TOKENS = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const NO_USAGE = { inputTokens: NO_TOKENS, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
const finish = (unified: string, raw: string | undefined = "raw", counted: object = usage) =>
  ({ type: "finish", finishReason: { unified, raw }, usage: counted }) as LanguageModelV3StreamPart;

function modelOf(parts: readonly LanguageModelV3StreamPart[], prompts: unknown[] = []) {
  const sdk = {
    doStream: async (options: { readonly prompt: unknown }) => {
      prompts.push(options.prompt);
      return { stream: ReadableStream.from(parts) };
    },
  } as unknown as LanguageModelV3;
  const settings = { id: "own/x", contextTokens: 9, wire: "chat", apiKey: "secret-key", now: () => 0 } as const;
  return sdkModel({ ...settings, load: async () => sdk });
}

async function partsOf(parts: readonly LanguageModelV3StreamPart[], prompts?: unknown[]): Promise<ModelPart[]> {
  const found: ModelPart[] = [];
  const { signal } = new AbortController();
  const request = { system: "Be kind.", messages: [], tools: [], signal };
  for await (const part of modelOf(parts, prompts).stream(request)) found.push(part);
  return found;
}

const END: ModelPart = {
  type: "finish",
  reason: "stop",
  usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 3, cacheWriteTokens: 2 },
};

describe("sdkModel", () => {
  it("has the id and the settings of the model, and sends the request", async () => {
    const prompts: unknown[] = [];
    expect(modelOf([])).toEqual({ id: "own/x", contextTokens: 9, stream: expect.any(Function) as unknown });
    expect(await partsOf([finish("stop")], prompts)).toEqual([END]);
    expect(prompts).toEqual([[{ role: "system", content: "Be kind." }]]);
  });

  it("converts texts, reasoning and calls with their metadata", async () => {
    const providerMetadata = { own: { signature: "s" } };
    expect(
      await partsOf([
        { type: "stream-start", warnings: [] },
        { type: "reasoning-start", id: "r", providerMetadata },
        { type: "reasoning-delta", id: "r", delta: "Hm." },
        { type: "reasoning-end", id: "r", providerMetadata },
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "Yes.", providerMetadata },
        { type: "text-end", id: "t" },
        { type: "tool-call", toolCallId: "1", toolName: "look", input: "{}", providerMetadata },
        { type: "tool-call", toolCallId: "2", toolName: "search", input: "{}", providerExecuted: true },
        { type: "tool-call", toolCallId: "3", toolName: "look", input: "" },
        finish("tool-calls"),
      ]),
    ).toEqual([
      { type: "reasoning", id: "r", delta: "", metadata: providerMetadata },
      { type: "reasoning", id: "r", delta: "Hm." },
      { type: "end", id: "r", metadata: providerMetadata },
      { type: "text", id: "t", delta: "" },
      { type: "text", id: "t", delta: "Yes.", metadata: providerMetadata },
      { type: "end", id: "t" },
      { type: "tool_call", callId: "1", tool: "look", input: "{}", metadata: providerMetadata },
      { type: "tool_call", callId: "3", tool: "look", input: "" },
      { ...END, reason: "tool_calls" },
    ]);
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "refused"],
    ["tool-calls", "tool_calls"],
    ["other", "other"],
  ])("converts the finish %s to %s", async (unified, reason) => {
    expect(await partsOf([finish(unified)])).toEqual([{ ...END, reason }]);
  });

  it("counts unknown numbers of tokens as 0", async () => {
    const [end] = await partsOf([finish("stop", "raw", NO_USAGE)]);
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(end).toEqual({ ...END, usage: none });
    expect(await partsOf([finish("stop", undefined)])).toEqual([END]);
  });

  it.each([
    ["has no end", []],
    [
      "ends without data",
      [{ ...finish("other", "raw", NO_USAGE), finishReason: { unified: "other", raw: undefined } }],
    ],
    ["ends with an error", [finish("error")]],
  ] as [string, LanguageModelV3StreamPart[]][])("fails if the answer %s", async (_, parts) => {
    await expect(partsOf(parts)).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
      details: { model: "own/x", reason: "its answer broke off" },
    });
  });

  it("fails with the text of an error part, from which it removes the key", async () => {
    const failing = partsOf([{ type: "error", error: { type: "invalid_prompt", message: "bad secret-key" } }]);
    await expect(failing).rejects.toMatchObject({
      code: "MODEL_FAILED",
      details: { model: "own/x", reason: "bad ***" },
    });
  });
});
