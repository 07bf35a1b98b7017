/** Tests that older messages are replaced by a summary, within a turn and on demand. */
import type { ChatMessage } from "@plugboard/contracts";
import { compactHistory, EMPTY_HISTORY, runTurn } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { collect, modelAt, NO_TOOLS, PROVIDERS, scriptedServer, toolsOf } from "../helpers/scripted-turn.ts";

describe.each(PROVIDERS)("compaction with %s", (provider) => {
  it("happens during a turn when the context is almost full, and the turn goes on", async () => {
    const full = { input: 900, output: 10 };
    const server = await scriptedServer(
      { parts: [{ call: "look", id: "call_1", args: { place: "attic" } }] },
      { parts: [{ call: "look", id: "call_2" }], usage: full },
      { parts: [{ text: "The attic holds a cat." }], usage: { input: 30, output: 20 } },
      { parts: [{ text: "Found it." }] },
    );
    const tools = toolsOf({ look: ({ place = "cellar" }) => `a cat in the ${place as string}` }, "house:look");
    const model = await modelAt(server, provider, { contextTokens: 1000 });
    const turn = await collect(runTurn({ model, tools, prompt: "Find my cat", compaction: { keepMessages: 2 } }));
    expect(turn.finished.reason).toBe("done");
    expect(turn.ofType("compacted")).toMatchObject([{ removedMessages: 3 }]);
    expect(turn.ofType("usage").map(({ usage }) => usage.outputTokens)).toEqual([1, 10, 20, 1]);

    const [, , summary, last] = server.requests;
    expect(summary?.toolNames).toEqual([]);
    expect(JSON.stringify(summary?.body)).toContain("a cat in the attic");
    expect(JSON.stringify(last?.body)).toContain("The attic holds a cat.");
    expect(JSON.stringify(last?.body)).toContain("Find my cat");
    expect(last?.results.map(({ id }) => id)).toEqual(["call_2"]);
    expect(turn.finished.history.messages[0]).toMatchObject({ role: "user", summary: true });
    expect(turn.finished.history.usage.outputTokens).toBe(32);
  });

  it("happens on demand, and the next turn begins with the summary", async () => {
    const server = await scriptedServer(
      { parts: [{ text: "Hello." }] },
      { parts: [{ text: "Fine." }] },
      { parts: [{ text: "They greeted each other." }] },
      { parts: [{ text: "Bye." }] },
    );
    const model = await modelAt(server, provider);
    const first = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    const second = await collect(
      runTurn({ model, tools: NO_TOOLS, history: first.finished.history, prompt: "How are you?" }),
    );
    const { history } = second.finished;
    const compacted = await compactHistory({ model, history, keepMessages: 2, instructions: "the names" });
    expect(compacted.removedMessages).toBe(2);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("the names");
    expect(compacted.history.messages).toMatchObject([
      { role: "user", summary: true, content: [{ text: expect.stringContaining("They greeted each other.") }] },
      { role: "user", content: [{ text: "How are you?" }] },
      { role: "assistant" },
    ]);
    const third = await collect(runTurn({ model, tools: NO_TOOLS, history: compacted.history, prompt: "Bye" }));
    expect(third.text).toBe("Bye.");
  });
});

describe("a turn whose conversation is too long for the model", () => {
  const history = {
    ...EMPTY_HISTORY,
    messages: ["One", "Two", "Three"].flatMap((text): ChatMessage[] => [
      { role: "user", content: [{ type: "text", text }] },
      { role: "assistant", content: [{ type: "text", text: `${text}!` }] },
    ]),
  };
  const summary = { parts: [{ text: "They counted." }] };
  const counted = { parts: [{ text: "Four!" }] };

  it.each([
    ["anthropic", 400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"],
    ["anthropic", 413, "request_too_large", "Request exceeds the maximum size"],
    ["openai", 400, "context_length_exceeded", "Your input exceeds the limit"],
    ["openai-chat", 400, "context_length_exceeded", "Your input exceeds the limit"],
    ["compatible", 400, "BadRequestError", "This model's maximum context length is 4096 tokens"],
    ["compatible", 400, "exceed_context_size_error", "the request is too large"],
  ])("compacts it after the error of %s (%i %s) and asks once more", async (provider, status, type, message) => {
    const server = await scriptedServer({ status, type, message }, summary, counted);
    const model = await modelAt(server, provider);
    const turn = await collect(runTurn({ model, tools: NO_TOOLS, history, prompt: "Four" }));
    expect(turn.finished.reason).toBe("done");
    expect(turn.text).toBe("Four!");
    expect(turn.ofType("compacted")).toHaveLength(1);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("They counted.");
    expect(JSON.stringify(server.requests[2]?.body)).not.toContain("One!");
  });

  it("fails if it is still too long, or if there is nothing to summarise", async () => {
    const tooLong = { status: 400, type: "invalid_request_error", message: "prompt is too long" };
    const server = await scriptedServer(tooLong, summary, tooLong, tooLong);
    const model = await modelAt(server);
    const second = await collect(runTurn({ model, tools: NO_TOOLS, history, prompt: "Four" }));
    expect(second.finished).toMatchObject({ reason: "failed", error: { code: "MODEL_CONTEXT_EXCEEDED" } });
    expect(server.requests).toHaveLength(3);
    const first = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "A very long message" }));
    expect(first.finished).toMatchObject({ reason: "failed", error: { code: "MODEL_CONTEXT_EXCEEDED" } });
    expect(server.requests).toHaveLength(4);
  });
});

describe("compactHistory", () => {
  it("changes nothing and sends no request if there is nothing to summarise", async () => {
    const server = await scriptedServer({ parts: [{ text: "Hello." }] });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    const { history, removedMessages } = await compactHistory({ model, history: finished.history });
    expect(removedMessages).toBe(0);
    expect(history).toBe(finished.history);
    expect(server.requests).toHaveLength(1);
  });

  it("never separates a result from its call, and keeps fewer messages if they are large", async () => {
    const server = await scriptedServer(
      { parts: [{ call: "read", id: "call_1" }] },
      { parts: [{ call: "read", id: "call_2" }] },
      { parts: [{ text: "Read." }] },
      { parts: [{ text: "Two files were read." }] },
    );
    const model = await modelAt(server);
    const tools = toolsOf({ read: () => "x".repeat(10_000) });
    const { finished } = await collect(runTurn({ model, tools, prompt: "Read" }));
    const { history } = await compactHistory({ model, history: finished.history, keepMessages: 3, keepTokens: 100 });
    expect(history.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(server.requests[3]?.body).length).toBeLessThan(12_000);
  });
});
