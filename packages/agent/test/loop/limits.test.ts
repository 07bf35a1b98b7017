/** Tests the limits of a turn, its history after an interruption, and the ways it can fail. */
import { EMPTY_HISTORY, runTurn } from "@plugboard/agent";
import type { History, Model } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { callIds, collect, deferred, modelAt, NO_TOOLS, scriptedServer, toolsOf } from "../helpers/scripted-turn.ts";

const again = { parts: [{ call: "work" }] };

describe("the limits of a turn", () => {
  it("end the turn after the given number of steps and skip the last step's calls", async () => {
    const server = await scriptedServer(again, again, { parts: [{ text: "I stop." }] });
    let calls = 0;
    const tools = toolsOf({ work: () => `done ${++calls}` });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools, prompt: "Go", limits: { steps: 2 } }));
    expect(finished.reason).toBe("step_limit");
    expect(calls).toBe(1);
    const next = await collect(runTurn({ model, tools, history: finished.history, prompt: "Stop" }));
    expect(next.finished.reason).toBe("done");
    expect(server.requests[2]?.results.map(({ text }) => text)).toEqual([
      "done 1",
      "The call did not run: the limit of steps in this turn was reached.",
    ]);
  });

  it("end the turn when its requests have used the allowed tokens", async () => {
    const usage = { input: 400, output: 100 };
    const server = await scriptedServer({ ...again, usage }, { ...again, usage });
    const tools = toolsOf({ work: () => "done" });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools, prompt: "Go", limits: { tokens: 1000 } }));
    expect(finished).toMatchObject({ reason: "token_limit", usage: { inputTokens: 800, outputTokens: 200 } });
    expect(server.requests).toHaveLength(2);
  });

  it("let only the given number of calls run at the same time", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const parts = ids.map((id) => ({ call: "work", id }));
    const server = await scriptedServer({ parts }, { parts: [{ text: "Done." }] });
    const calls: { readonly end: () => void }[] = [];
    let running = 0;
    let mostRunning = 0;
    const tools = toolsOf({
      work: async () => {
        mostRunning = Math.max(mostRunning, ++running);
        const { promise, resolve } = deferred();
        calls.push({ end: resolve });
        await promise;
        running -= 1;
        return "done";
      },
    });
    const limits = { parallelCalls: 2 };
    const turn = runTurn({ model: await modelAt(server), tools, prompt: "Go", input: "i", limits, newId: callIds() });
    const { events, finished } = await collect(turn, ({ type }) => {
      // The latest of the running calls ends first.
      if (type === "tool.started" && running === 2) calls.pop()?.end();
      if (type === "tool.finished") calls.pop()?.end();
    });
    expect(finished.reason).toBe("done");
    expect(mostRunning).toBe(2);
    const order = events.flatMap((event) => (event.type === "tool.started" ? [event.callId] : []));
    expect(order).toEqual(["c0", "c1", "c2", "c3", "c4"]);
    expect(server.requests[1]?.results.map(({ id }) => id)).toEqual(ids);
  });

  it("keep calls waiting, which are skipped when the turn is cancelled", async () => {
    const parts = ["a", "b", "c"].map((id) => ({ call: "work", id }));
    const server = await scriptedServer({ parts });
    const cancel = new AbortController();
    let calls = 0;
    const tools = toolsOf({ work: () => new Promise<string>(() => void (calls += 1)) });
    const model = await modelAt(server);
    const turn = runTurn({ model, tools, prompt: "Go", limits: { parallelCalls: 1 }, signal: cancel.signal });
    const { finished } = await collect(turn, ({ type }) => {
      if (type === "tool.started") cancel.abort();
    });
    expect(finished.reason).toBe("cancelled");
    expect(calls).toBe(1);
    const [results] = finished.history.messages.filter((message) => message.role === "tool");
    expect(results?.content.map(({ status }) => status)).toEqual(["cancelled", "not_run", "not_run"]);
  });

  it("set the maximum length of an answer", async () => {
    const server = await scriptedServer({ parts: [{ text: "Long" }], finish: "length" });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Go", limits: { outputTokens: 7 } }));
    expect(finished.reason).toBe("output_limit");
    expect(server.requests[0]?.body["max_tokens"]).toBe(7);
  });
});

describe("runTurn", () => {
  it("cancels the calls when the iteration is left", async () => {
    const server = await scriptedServer({ parts: [{ call: "work" }] });
    const aborted = deferred();
    const tools = toolsOf({
      work: (_args, signal) => {
        signal.addEventListener("abort", aborted.resolve);
        return new Promise<string>(() => {});
      },
    });
    for await (const event of runTurn({ model: await modelAt(server), tools, prompt: "Go" })) {
      if (event.type === "tool.started") break;
    }
    await aborted.promise;
  });

  it("sends no request when it is cancelled before it starts", async () => {
    const server = await scriptedServer({ parts: [{ text: "Hi" }] });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Go", signal: AbortSignal.abort() }));
    expect(finished.reason).toBe("cancelled");
    expect(server.requests).toHaveLength(0);
  });

  it("first adds a result for calls that the end of the process has interrupted", async () => {
    const server = await scriptedServer({ parts: [{ text: "I check." }] });
    const history: History = {
      ...EMPTY_HISTORY,
      messages: [
        { role: "user", content: [{ type: "text", text: "Go" }] },
        { role: "assistant", content: [{ type: "tool_call", callId: "call_a", tool: "work", args: {} }] },
      ],
    };
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools: toolsOf({ work: () => "" }), history }));
    expect(finished.reason).toBe("done");
    expect(server.requests[0]?.results[0]?.text).toContain("It may have taken effect");
  });

  it("fails if there is neither a prompt nor a message to answer", async () => {
    const model = await modelAt(await scriptedServer());
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS }));
    expect(finished).toMatchObject({ reason: "failed", error: { code: "OPTION_INVALID" } });
  });

  it("fails with the error of the tool list, and keeps the user's message", async () => {
    const model = await modelAt(await scriptedServer());
    const list = () => {
      throw new Error("broken list");
    };
    const { finished } = await collect(runTurn({ model, tools: { ...NO_TOOLS, list }, prompt: "Go" }));
    expect(finished).toMatchObject({ reason: "failed", error: { details: { reason: "broken list" } } });
    expect(finished.history.messages).toHaveLength(1);
  });

  it("gives each call an id of its own if the model uses an id twice", async () => {
    const twice = {
      parts: [
        { call: "work", id: "call_0" },
        { call: "work", id: "call_0" },
      ],
    };
    const server = await scriptedServer(twice, twice, { parts: [{ text: "Done." }] });
    let calls = 0;
    const tools = toolsOf({ work: () => `result ${++calls}` });
    const { finished } = await collect(runTurn({ model: await modelAt(server), tools, prompt: "Go" }));
    expect(finished.reason).toBe("done");
    expect(server.requests[2]?.results.map(({ id, text }) => ({ id, text }))).toEqual([
      { id: "call_0", text: "result 1" },
      { id: "call_0_2", text: "result 2" },
      { id: "call_0_3", text: "result 3" },
      { id: "call_0_4", text: "result 4" },
    ]);
  });

  it("accepts any object with an id and a stream as a model", async () => {
    const model: Model = {
      id: "own/echo",
      async *stream({ messages }) {
        yield { type: "text", delta: `${messages.length} ` };
        yield { type: "text", delta: "message" };
        const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
        yield { type: "finish", reason: "stop", usage };
      },
    };
    const { text, finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(text).toBe("1 message");
    expect(finished.history.messages.at(-1)?.content).toEqual([{ type: "text", text: "1 message" }]);
  });
});
