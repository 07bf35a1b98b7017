/** Tests turns with the real SDKs of the providers, over HTTP, against a scripted model server. */
import { runTurn } from "@plugboard/agent";
import type { History } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { collect, deferred, modelAt, NO_TOOLS, PROVIDERS, scriptedServer, toolsOf } from "../helpers/scripted-turn.ts";

describe.each(PROVIDERS)("runTurn with %s", (provider) => {
  it("streams the text of the model and ends when the model calls no tool", async () => {
    const server = await scriptedServer({ parts: [{ text: "Hello, Ann." }], usage: { input: 10, output: 5 } });
    const model = await modelAt(server, provider);
    const { text, finished, ofType } = await collect(
      runTurn({ model, tools: NO_TOOLS, prompt: "Hi", system: "Be kind." }),
    );
    expect(text).toBe("Hello, Ann.");
    expect(ofType("text.delta").length).toBeGreaterThan(1);
    expect(finished).toMatchObject({ reason: "done", usage: { inputTokens: 10, outputTokens: 5 } });
    expect(finished.history.messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello, Ann." }] },
    ]);
    expect(server.requests[0]?.system).toContain("Be kind.");
  });

  it(
    "runs the calls of one answer in parallel and returns their results to the model",
    { meta: { covers: ["R1.55", "R4.1", "R4.5", "R4.12"] } },
    async () => {
      const server = await scriptedServer(
        {
          parts: [
            { text: "I look." },
            { call: "first", args: { city: "Rome" }, id: "call_a" },
            { call: "second", id: "call_b" },
          ],
        },
        { parts: [{ text: "Both done." }] },
      );
      const secondRuns = deferred();
      const tools = toolsOf({
        // Would wait forever if the calls ran one after the other.
        first: async ({ city }) => secondRuns.promise.then(() => `${city as string} is sunny`),
        second: () => {
          secondRuns.resolve();
          return "second result";
        },
      });
      const turn = await collect(runTurn({ model: await modelAt(server, provider), tools, prompt: "Go" }));
      expect(turn.finished.reason).toBe("done");
      expect(turn.ofType("tool.requested")).toMatchObject([
        { tool: "first", args: { city: "Rome" } },
        { tool: "second" },
      ]);
      expect(turn.ofType("tool.finished").map(({ tool, status }) => ({ tool, status }))).toEqual([
        { tool: "second", status: "ok" },
        { tool: "first", status: "ok" },
      ]);
      expect(server.requests[0]?.toolNames).toEqual(["first", "second"]);
      expect(server.requests[1]?.results.map(({ id, text }) => ({ id, text }))).toEqual([
        { id: "call_a", text: "Rome is sunny" },
        { id: "call_b", text: "second result" },
      ]);
    },
  );

  it("cancels the running calls, and the next turn continues the conversation", async () => {
    const server = await scriptedServer(
      {
        parts: [
          { call: "slow", id: "call_a" },
          { call: "quick", id: "call_b" },
        ],
      },
      { parts: [{ text: "Understood." }] },
    );
    const cancel = new AbortController();
    let signalOfCall: AbortSignal | undefined;
    const tools = toolsOf({
      slow: (_args, signal) => {
        signalOfCall = signal;
        return new Promise<string>(() => {});
      },
      quick: () => "quick result",
    });
    const model = await modelAt(server, provider);
    const cancelled = await collect(runTurn({ model, tools, prompt: "Go", signal: cancel.signal }), (event) => {
      if (event.type === "tool.finished" && event.tool === "quick") cancel.abort();
    });
    expect(cancelled.finished.reason).toBe("cancelled");
    expect(signalOfCall?.aborted).toBe(true);
    expect(cancelled.ofType("tool.finished")).toMatchObject([
      { tool: "quick", status: "ok" },
      { tool: "slow", status: "cancelled" },
    ]);
    const next = await collect(runTurn({ model, tools, history: cancelled.finished.history, prompt: "Why?" }));
    expect(next.finished.reason).toBe("done");
    expect(server.requests[1]?.results.map(({ text }) => text)).toEqual([
      expect.stringContaining("cancelled"),
      "quick result",
    ]);
  });

  it("closes the connection to the model and keeps the text so far when it is cancelled during an answer", async () => {
    const server = await scriptedServer({ parts: [{ text: "One. Two." }, { waitFor: new Promise(() => {}) }] });
    const cancel = new AbortController();
    const model = await modelAt(server, provider);
    const turn = runTurn({ model, tools: NO_TOOLS, prompt: "Count", signal: cancel.signal });
    let text = "";
    const { finished } = await collect(turn, (event) => {
      if (event.type === "text.delta") text += event.text;
      if (text === "One. Two.") cancel.abort();
    });
    expect(finished.reason).toBe("cancelled");
    expect(finished.history.messages.at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "One. Two." }],
      cancelled: true,
    });
    await server.requests[0]?.closed;
  });

  it.each(["socket", "end"] as const)(
    "asks again when the answer breaks off (%s), and runs none of its calls",
    async (breakOff) => {
      const begun = deferred();
      const server = await scriptedServer(
        // A socket that is closed at once would also lose the beginning of the answer.
        { parts: [{ text: "Half" }, { call: "write", id: "call_a" }, { waitFor: begun.promise }, { breakOff }] },
        { parts: [{ call: "write", id: "call_a" }] },
        { parts: [{ text: "Done." }] },
      );
      let writes = 0;
      const tools = toolsOf({ write: () => `write ${++writes}` });
      const model = await modelAt(server, provider);
      const turn = await collect(runTurn({ model, tools, prompt: "Go" }), ({ type }) => {
        if (type === "text.delta") begun.resolve();
      });
      expect(turn.finished.reason).toBe("done");
      expect(turn.ofType("step.retried")).toMatchObject([{ attempt: 1, delayMs: 1000 }]);
      expect(writes).toBe(1);
      expect(JSON.stringify(turn.finished.history)).not.toContain("Half");
    },
  );

  it("asks again after an error event inside the answer", async () => {
    const server = await scriptedServer(
      { parts: [{ text: "Half" }, { error: { type: "overloaded_error", message: "Overloaded" } }] },
      { parts: [{ text: "Done." }] },
    );
    const turn = await collect(runTurn({ model: await modelAt(server, provider), tools: NO_TOOLS, prompt: "Go" }));
    expect(turn.finished.reason).toBe("done");
    expect(turn.ofType("step.retried")).toMatchObject([{ reason: expect.stringContaining("Overloaded") }]);
  });

  it("does not run calls of an answer that was cut at the output limit", async () => {
    const server = await scriptedServer({
      parts: [{ call: "write", id: "call_a", args: { text: "a" } }],
      finish: "length",
    });
    const tools = toolsOf({ write: () => expect.unreachable("the call ran") });
    const model = await modelAt(server, provider);
    const { finished } = await collect(runTurn({ model, tools, prompt: "Go", limits: { outputTokens: 100 } }));
    expect(finished.reason).toBe("output_limit");
    expect(finished.history.messages.at(-1)).toMatchObject({ role: "tool", content: [{ status: "not_run" }] });
  });

  it("counts the tokens of the cache, and the cost", async () => {
    const usage = { input: 100, output: 10, cacheRead: 1000 };
    const server = await scriptedServer({ parts: [{ text: "Hi" }], usage });
    const model = await modelAt(server, provider, { price: { input: 10, output: 100, cacheRead: 1 } });
    const { finished, ofType } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(ofType("usage")).toHaveLength(1);
    expect(finished.usage).toMatchObject({ inputTokens: 1100, outputTokens: 10, cacheReadTokens: 1000 });
    expect(finished.usage.cost).toBeCloseTo((100 * 10 + 10 * 100 + 1000 * 1) / 1_000_000, 10);
  });

  it("continues a conversation that was stored as JSON", async () => {
    const server = await scriptedServer(
      { parts: [{ reasoning: "Hm." }, { text: "I look." }, { call: "look", id: "call_a" }] },
      { parts: [{ text: "A cat." }] },
      { parts: [{ text: "A black cat." }] },
    );
    const model = await modelAt(server, provider);
    const tools = toolsOf({ look: () => "cat" });
    const first = await collect(runTurn({ model, tools, prompt: "What is there?" }));
    const history = JSON.parse(JSON.stringify(first.finished.history)) as History;
    expect(history).toEqual(first.finished.history);
    const second = await collect(runTurn({ model, tools, history, prompt: "Which colour?" }));
    expect(second.text).toBe("A black cat.");
    expect(second.finished.history.messages.slice(0, history.messages.length)).toEqual(history.messages);
    expect(second.finished.history.usage.inputTokens).toBe(3);
  });
});
