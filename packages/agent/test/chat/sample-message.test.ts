/** Tests the conversion of sampling requests, with the real SDKs against the scripted model server. */
import { sampleMessage } from "@plugboard/agent/chat";
import { describe, expect, it } from "vitest";
import { modelAt, PROVIDERS, scriptedServer } from "../helpers/scripted-turn.ts";

const { signal } = new AbortController();
const text = (value: string) => ({ type: "text", text: value });
const weather = { name: "weather", description: "Tells the weather", inputSchema: { type: "object" } };

describe.each(PROVIDERS)("sampleMessage with %s", (provider) => {
  it("returns the text, the model and the stop reason of the answer", async () => {
    const server = await scriptedServer({ parts: [{ text: "Four" }, { text: "." }], finish: "length" });
    const request = { messages: [{ role: "user", content: text("2 + 2?") }], maxTokens: 20, systemPrompt: "Be brief." };
    const price = { input: 1_000_000, output: 0 };
    const { result, usage } = await sampleMessage(await modelAt(server, provider, { price }), request, signal);
    expect(result).toEqual({
      role: "assistant",
      model: `${provider}/scripted`,
      content: text("Four."),
      stopReason: "maxTokens",
    });
    expect(usage.cost).toBe(usage.inputTokens);
    expect(server.requests[0]).toMatchObject({ system: "Be brief.", toolNames: [] });
  });

  it("passes the tools, calls and results of the request to the model, and returns its calls", async () => {
    const server = await scriptedServer({
      parts: [{ text: "And Rome?" }, { call: "weather", args: { city: "Rome" } }],
    });
    const request = {
      messages: [
        { role: "user", content: text("Compare Oslo and Rome") },
        { role: "assistant", content: [{ type: "tool_use", id: "w1", name: "weather", input: { city: "Oslo" } }] },
        { role: "user", content: [{ type: "tool_result", toolUseId: "w1", content: [text("Snow")] }] },
      ],
      tools: [weather],
      toolChoice: { mode: "required" },
      maxTokens: 100,
    };
    const { result } = await sampleMessage(await modelAt(server, provider), request, signal);
    expect(result).toMatchObject({
      content: [text("And Rome?"), { type: "tool_use", name: "weather", input: { city: "Rome" } }],
      stopReason: "toolUse",
    });
    const { toolNames, calls, results, system, body } = server.requests[0]!;
    expect(toolNames).toEqual(["weather"]);
    expect(calls).toMatchObject([{ id: "w1", tool: "weather" }]);
    expect(results).toMatchObject([{ id: "w1", text: "Snow" }]);
    expect(JSON.stringify(body["tool_choice"])).toMatch(/required|any/);
    expect(system).not.toBe("");
  });
});
