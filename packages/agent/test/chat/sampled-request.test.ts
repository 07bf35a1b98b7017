/** Tests the conversion of a sampling request and its answer, with a model in the same process. */
import { sampleMessage } from "@plugboard/agent/chat";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ModelPart } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { call, fakeModel, finish, say, USAGE } from "../helpers/fake-model.ts";

const { signal } = new AbortController();
const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" };
const weather = { name: "weather", description: "Tells the weather", inputSchema: { type: "object" } };

/** Returns the request that the model gets. */
async function requestFor(request: JsonObject) {
  const model = fakeModel([say("Yes.")]);
  await sampleMessage(model, request, signal);
  return model.requests[0]!;
}

const messagesFor = async (...messages: Json[]) => (await requestFor({ messages })).messages;

describe("the request to the model", () => {
  it("has only the fields that the server has set", async () => {
    const system = "Answer the request of a program that works for the user.";
    const bare = { system, messages: [], tools: [], signal };
    expect(await requestFor({ messages: [] })).toEqual(bare);
    expect(await requestFor({})).toEqual(bare);
    expect(await requestFor({ messages: "no list", systemPrompt: "", toolChoice: "none", tools: {} })).toEqual(bare);
    expect(await requestFor({ systemPrompt: 7, maxTokens: "7", temperature: "hot", stopSequences: "x" })).toEqual(bare);
    expect(
      await requestFor({ systemPrompt: "Be brief.", maxTokens: 7, temperature: 0, stopSequences: ["a", 7, "b"] }),
    ).toEqual({ ...bare, system: "Be brief.", maxOutputTokens: 7, temperature: 0, stopSequences: ["a", "b"] });
  });

  it("has the valid tools, unless the tool choice is none", async () => {
    const bare = { name: "bare", inputSchema: {} };
    const broken = ["text", { name: 7, inputSchema: {} }, { name: "x" }];
    const tools = [weather, bare, ...broken];
    expect((await requestFor({ tools })).tools).toEqual([weather, bare]);
    expect(await requestFor({ tools })).not.toHaveProperty("toolChoice");
    expect(await requestFor({ tools, toolChoice: { mode: "auto" } })).not.toHaveProperty("toolChoice");
    expect(await requestFor({ tools, toolChoice: { mode: "required" } })).toMatchObject({ toolChoice: "required" });
    const none = await requestFor({ tools, toolChoice: { mode: "none" } });
    expect(none.tools).toEqual([]);
    expect(none).not.toHaveProperty("toolChoice");
    expect((await requestFor({ tools: [{ ...bare, description: 7 }] })).tools).toEqual([bare]);
  });

  it("has the texts and media of the user", async () => {
    expect(await messagesFor({ role: "user", content: text("Hi") }, "odd", { role: "user", content: ["odd"] })).toEqual(
      [{ role: "user", content: [text("Hi")] }],
    );
    const sound = { type: "audio", data: "c291bmQ=", mimeType: "audio/wav" };
    const video = { type: "video", data: "dmlkZW8=", mimeType: "video/mp4" };
    const broken = [{ ...image, data: 7 }, { ...image, mimeType: 7 }, { type: 7 }];
    expect(await messagesFor({ role: "user", content: [image, sound, video, ...broken] })).toEqual([
      {
        role: "user",
        content: [
          image,
          sound,
          text("[video, not shown]"),
          text("[image, not shown]"),
          text("[image, not shown]"),
          text("[, not shown]"),
        ],
      },
    ]);
  });

  it("has calls and results, each with the name of its tool", async () => {
    const use = { type: "tool_use", id: "w1", name: "weather", input: { city: "Oslo" } };
    const result = { type: "tool_result", toolUseId: "w1", content: [text("Snow"), image, text("Wind"), "odd"] };
    const failed = { type: "tool_result", toolUseId: "w2", content: "no list", isError: true };
    expect(
      await messagesFor(
        { role: "assistant", content: [text("I look."), use, { ...use, id: 7, name: 7, input: "odd" }, image] },
        { role: "user", content: [result, failed, text("And?")] },
      ),
    ).toEqual([
      {
        role: "assistant",
        content: [
          text("I look."),
          { type: "tool_call", callId: "w1", tool: "weather", args: { city: "Oslo" } },
          { type: "tool_call", callId: "", tool: "", args: {} },
          text("[image, not shown]"),
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool_result", callId: "w1", tool: "weather", status: "ok", text: "Snow\nWind", media: [image] },
          { type: "tool_result", callId: "w2", tool: "tool", status: "error", text: "" },
        ],
      },
      { role: "user", content: [text("And?")] },
    ]);
  });
});

describe("the answer to the server", () => {
  const resultOf = async (...parts: ModelPart[]) => (await sampleMessage(fakeModel([parts]), {}, signal)).result;

  it.each([
    ["stop", "endTurn"],
    ["length", "maxTokens"],
    ["tool_calls", "toolUse"],
  ] as const)("turns the finish %s into the stop reason %s", async (reason, stopReason) => {
    expect(await resultOf({ type: "text", delta: "Yes." }, finish(reason))).toEqual({
      role: "assistant",
      model: "own/fake",
      content: text("Yes."),
      stopReason,
    });
  });

  it.each(["refused", "other"] as const)("has no stop reason after the finish %s", async (reason) => {
    expect(await resultOf(finish(reason))).toEqual({ role: "assistant", model: "own/fake", content: text("") });
  });

  it("is a single text, or a list if there are calls, and has no reasoning", async () => {
    const use = { type: "tool_use", id: "1", name: "weather", input: { a: 1 } };
    const parts: ModelPart[] = [{ type: "reasoning", delta: "Hm." }, call("1", "weather", '{"a":1}'), finish()];
    expect((await resultOf(...parts))["content"]).toEqual([use]);
    expect((await resultOf({ type: "text", delta: "Look" }, ...parts))["content"]).toEqual([text("Look"), use]);
    expect(
      (await resultOf({ type: "text", id: "1", delta: "a" }, { type: "text", id: "2", delta: "b" }, finish()))[
        "content"
      ],
    ).toEqual(text("ab"));
  });

  it("comes with its cost, and fails if the stream of the model has no finish", async () => {
    const { usage } = await sampleMessage(fakeModel([say("x")], { price: { input: 100_000, output: 0 } }), {}, signal);
    expect(usage).toEqual({ ...USAGE, cost: 1 });
    const endless = sampleMessage(fakeModel([[{ type: "text", delta: "x" }]]), {}, signal);
    await expect(endless).rejects.toMatchObject({ code: "MODEL_FAILED", details: { model: "own/fake" } });
  });
});
