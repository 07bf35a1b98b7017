/** Tests that older messages are replaced by a summary, within a turn and on demand. */
import { compactHistory, runTurn } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { collect, modelAt, NO_TOOLS, PROVIDERS, scriptedServer, toolsOf } from "../helpers/scripted-turn.ts";

describe.each(PROVIDERS)("compaction with %s", (provider) => {
  it("happens within a turn when the context is almost full, and the turn goes on", async () => {
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
