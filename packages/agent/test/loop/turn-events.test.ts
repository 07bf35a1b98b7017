/** Tests every event and request of a turn, with a model in the same process. */
import type { ChatMessage } from "@plugboard/contracts";
import { EMPTY_HISTORY, runTurn } from "@plugboard/agent";
import type { History, Model, TurnOptions } from "@plugboard/agent";
import { UNTRUSTED_NOTICE } from "#loop/mark-untrusted.js";
import { describe, expect, it } from "vitest";
import { call, fakeModel, finish, say, USAGE } from "../helpers/fake-model.ts";
import { callIds, collect, definition, NO_TOOLS, toolsOf } from "../helpers/scripted-turn.ts";

const ask = (text: string): ChatMessage => ({ role: "user", content: [{ type: "text", text }] });
const answer = (text: string): ChatMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const withCost = { ...USAGE, cost: 0 };
const FREE = { input: 0, output: 0 };

describe("a turn", () => {
  it("emits its events in order", async () => {
    const model = fakeModel(
      [
        [
          { type: "reasoning", delta: "Hm." },
          { type: "text", delta: "" },
          { type: "text", delta: "I look." },
          call("1", "look", '{"at":"sky"}'),
          finish("tool_calls"),
        ],
        [
          { type: "text", delta: "Half" },
          { type: "retry", attempt: 1, delayMs: 500, reason: "broken" },
          { type: "text", delta: "Stars." },
          finish("stop", { ...USAGE, outputTokens: 7 }),
          { type: "text", delta: "after the end" },
        ],
      ],
      { price: FREE },
    );
    let time = 0;
    const tools = toolsOf({ look: ({ at }) => `stars in the ${at as string}` }, "sky:look");
    const options = {
      model,
      tools,
      prompt: "Look",
      input: "i1",
      system: "Be kind.",
      now: () => (time += 40.3),
      newId: () => "n1",
    };
    const { events, finished } = await collect(runTurn(options));

    const result = {
      type: "tool_result",
      callId: "n1",
      tool: "look",
      status: "ok",
      text: "stars in the sky",
      untrusted: { source: "sky:look" },
    };
    const called: ChatMessage = {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "I look." },
        { type: "tool_call", callId: "n1", modelCallId: "1", tool: "look", source: "sky:look", args: { at: "sky" } },
      ],
    };
    const messages = [ask("Look"), called, { role: "tool", content: [result] }, answer("Stars.")];
    const second = { ...withCost, outputTokens: 7 };
    const total = { ...withCost, inputTokens: 20, outputTokens: 12 };
    expect(events).toEqual([
      { type: "turn.started", input: "i1", model: "own/fake" },
      { type: "message.added", message: messages[0] },
      { type: "step.started", step: 1, tools: 1 },
      { type: "reasoning.delta", text: "Hm." },
      { type: "text.delta", text: "I look." },
      { type: "message.added", message: called },
      { type: "usage", usage: withCost, turn: withCost },
      { type: "tool.requested", callId: "n1", tool: "look", source: "sky:look", args: { at: "sky" } },
      { type: "tool.started", callId: "n1", tool: "look", source: "sky:look" },
      { type: "tool.finished", callId: "n1", tool: "look", status: "ok", durationMs: 40, result },
      { type: "message.added", message: messages[2] },
      { type: "step.started", step: 2, tools: 1 },
      { type: "text.delta", text: "Half" },
      { type: "step.retried", attempt: 1, delayMs: 500, reason: "broken" },
      { type: "text.delta", text: "Stars." },
      { type: "message.added", message: messages[3] },
      { type: "usage", usage: second, turn: total },
      { type: "turn.finished", input: "i1", reason: "done", usage: total },
    ]);
    expect(finished.history).toEqual({
      messages,
      toolOrder: ["look"],
      usage: total,
      measured: { tokens: 17, messages: 4 },
    });

    const [first, next] = model.requests;
    expect(first).toEqual({
      system: `Be kind.\n\n${UNTRUSTED_NOTICE}`,
      messages: [ask("Look")],
      tools: [definition("look", "sky:look")],
      signal: expect.any(AbortSignal) as AbortSignal,
    });
    expect(next?.messages.at(-1)).toEqual({
      role: "tool",
      content: [{ ...result, text: '<untrusted source="sky:look">\nstars in the sky\n</untrusted>' }],
    });
  });

  it("sends the maximum length of an answer, and without a system prompt only the notice about untrusted content", async () => {
    const model = fakeModel([say("Hi")]);
    await collect(
      runTurn({ model, tools: NO_TOOLS, prompt: [{ type: "text", text: "Hi" }], limits: { outputTokens: 9 } }),
    );
    expect(model.requests[0]).toMatchObject({ system: UNTRUSTED_NOTICE, maxOutputTokens: 9, messages: [ask("Hi")] });
  });

  it("adds no empty answer to the history", async () => {
    const { finished } = await collect(runTurn({ model: fakeModel([[finish()]]), tools: NO_TOOLS, prompt: "Hi" }));
    expect(finished).toMatchObject({ reason: "done", history: { messages: [ask("Hi")] } });
  });

  it.each(["length", "refused"] as const)("ends after the finish %s and runs none of its calls", async (reason) => {
    const model = fakeModel([[call("1", "work"), finish(reason)]]);
    const tools = toolsOf({ work: () => expect.unreachable("the call ran") });
    const { finished, ofType } = await collect(runTurn({ model, tools, prompt: "Go" }));
    const [end, why] =
      reason === "length"
        ? ["output_limit", "the answer was cut at its maximum length"]
        : ["refused", "the provider stopped the answer"];
    expect(finished.reason).toBe(end);
    expect(finished).not.toHaveProperty("error");
    expect(finished.history.messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ status: "not_run", text: `The call did not run: ${why}.` }],
    });
    expect(ofType("tool.requested")).toHaveLength(1);
  });

  it("runs the calls after a finish for any other reason", async () => {
    const model = fakeModel([[call("1", "work"), finish("other")], say("Done.")]);
    const { finished } = await collect(runTurn({ model, tools: toolsOf({ work: () => "ok" }), prompt: "Go" }));
    expect(finished.reason).toBe("done");
    expect(model.requests).toHaveLength(2);
  });

  it("fails if the answer has no end, and closes the stream of the model", async () => {
    let closed = false;
    const model: Model = {
      id: "own/endless",
      async *stream() {
        try {
          yield { type: "text", delta: "One" };
        } finally {
          closed = true;
        }
      },
    };
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Go" }));
    expect(finished).toMatchObject({
      reason: "failed",
      error: { code: "MODEL_FAILED", details: { model: "own/endless" } },
    });
    expect(closed).toBe(true);
  });

  it("closes the stream of a model that goes on after the end", async () => {
    let closed = false;
    const model: Model = {
      id: "own/talker",
      async *stream() {
        try {
          yield* say("Done.");
          yield* say("More.");
        } finally {
          closed = true;
        }
      },
    };
    const { text } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Go" }));
    expect(text).toBe("Done.");
    expect(closed).toBe(true);
  });

  it("continues a history that ends with a user's message or a result, without a prompt", async () => {
    const model = fakeModel([say("Hello."), say("Again.")]);
    const asked: History = { ...EMPTY_HISTORY, messages: [ask("Hi")] };
    const first = await collect(runTurn({ model, tools: NO_TOOLS, history: asked }));
    expect(first.finished.history.messages).toEqual([ask("Hi"), answer("Hello.")]);
    const second = await collect(runTurn({ model, tools: NO_TOOLS, history: first.finished.history }));
    expect(second.finished).toMatchObject({ reason: "failed", error: { code: "OPTION_INVALID" } });
    expect(model.requests).toHaveLength(1);
  });

  it("adds the result of an interrupted call as an event", async () => {
    const called: ChatMessage = {
      role: "assistant",
      content: [{ type: "tool_call", callId: "1", tool: "work", args: {} }],
    };
    const history = { ...EMPTY_HISTORY, messages: [ask("Go"), called] };
    const { ofType } = await collect(runTurn({ model: fakeModel([say("I see.")]), tools: NO_TOOLS, history }));
    expect(ofType("message.added").map(({ message }) => message.role)).toEqual(["tool", "assistant"]);
    const plain = await collect(runTurn({ model: fakeModel([say("Hi.")]), tools: NO_TOOLS, prompt: "Hi" }));
    expect(plain.ofType("message.added").map(({ message }) => message.role)).toEqual(["user", "assistant"]);
  });

  it("gives a call a new id, also towards the model, if the model has used the id before", async () => {
    const twice = () => fakeModel([[call("1", "work"), finish()], say("Done.")]);
    const tools = toolsOf({ work: () => "ok" });
    const first = await collect(runTurn({ model: twice(), tools, prompt: "Go" }));
    const second = await collect(runTurn({ model: twice(), tools, prompt: "Go", history: first.finished.history }));
    const [before, after] = [first, second].map(({ ofType }) => ofType("tool.requested")[0]!.callId);
    expect(before).toMatch(/^[\da-f-]{36}$/);
    expect(after).toMatch(/^[\da-f-]{36}$/);
    expect(after).not.toBe(before);
    const calls = second.finished.history.messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "tool_call" ? [part] : [])),
    );
    expect(calls).toMatchObject([
      { callId: before, modelCallId: "1" },
      { callId: after, modelCallId: "1_2" },
    ]);
  });

  it("offers only the first of two tools with the same name", async () => {
    const model = fakeModel([say("Hi.")]);
    const list = () => [
      { ...definition("a"), description: "first" },
      { ...definition("a"), description: "second" },
    ];
    const { ofType } = await collect(runTurn({ model, tools: { ...NO_TOOLS, list }, prompt: "Hi" }));
    expect(model.requests[0]?.tools.map(({ description }) => description)).toEqual(["first"]);
    expect(ofType("step.started")).toEqual([{ type: "step.started", step: 1, tools: 1 }]);
  });
});

describe("the limits of a turn", () => {
  const working = (count: number) => fakeModel(Array.from({ length: count }, () => [call("1", "work"), finish()]));
  const tools = toolsOf({ work: () => "ok" });

  it("are 50 steps by default", async () => {
    const model = working(60);
    const { finished } = await collect(runTurn({ model, tools, prompt: "Go" }));
    expect(finished.reason).toBe("step_limit");
    expect(model.requests).toHaveLength(50);
  });

  it("do not matter if the last allowed step has no calls", async () => {
    const limits = { steps: 1, tokens: 1 };
    const { finished } = await collect(runTurn({ model: fakeModel([say("Hi.")]), tools, prompt: "Go", limits }));
    expect(finished.reason).toBe("done");
  });

  it("end the turn when the tokens are used up, and the model gets the reason", async () => {
    const model = working(3);
    const { finished } = await collect(runTurn({ model, tools, prompt: "Go", limits: { tokens: 30 } }));
    expect(finished.reason).toBe("token_limit");
    expect(model.requests).toHaveLength(2);
    const text = "The call did not run: the limit of tokens in this turn was reached.";
    expect(finished.history.messages.at(-1)).toMatchObject({ content: [{ text }] });
  });

  it("let 8 calls run at the same time by default, in the order of the answer", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const model = fakeModel([[...ids.map((id) => call(id, "work")), finish()], say("Done.")]);
    let running = 0;
    let most = 0;
    const slow = toolsOf({
      work: async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running -= 1;
        return "ok";
      },
    });
    const newId = callIds();
    const { ofType, finished } = await collect(runTurn({ model, tools: slow, prompt: "Go", input: "i", newId }));
    expect(most).toBe(8);
    expect(ofType("tool.started").map(({ callId }) => callId)).toEqual(ids);
    const [results] = finished.history.messages.filter(({ role }) => role === "tool");
    expect(results?.content.map((part) => ("callId" in part ? part.callId : ""))).toEqual(ids);
  });
});

describe("a cancelled turn", () => {
  it("has no error, sends no further request, and has results for all calls", async () => {
    const model = fakeModel([[call("1", "work"), call("2", "work"), finish()], say("Never.")]);
    const cancel = new AbortController();
    const tools = toolsOf({ work: () => new Promise<string>(() => {}) });
    const options: TurnOptions = { model, tools, prompt: "Go", signal: cancel.signal, limits: { parallelCalls: 1 } };
    const { finished, ofType } = await collect(runTurn(options), ({ type }) => {
      if (type === "tool.started") cancel.abort();
    });
    expect(finished.reason).toBe("cancelled");
    expect(finished).not.toHaveProperty("error");
    expect(model.requests).toHaveLength(1);
    expect(ofType("tool.started")).toHaveLength(1);
    expect(ofType("tool.finished").map(({ status, result }) => [status, result.text])).toEqual([
      ["cancelled", "The call was cancelled. It may have taken effect; check before you repeat it."],
      ["not_run", "The call did not run: the turn was cancelled before the call began."],
    ]);
    expect(ofType("tool.finished")[1]?.durationMs).toBe(0);
  });

  it("keeps the text of the answer so far", async () => {
    const cancel = new AbortController();
    const model: Model = {
      id: "own/slow",
      async *stream() {
        yield { type: "text", delta: "One" };
        await new Promise(() => {});
      },
    };
    const { finished } = await collect(
      runTurn({ model, tools: NO_TOOLS, prompt: "Go", signal: cancel.signal }),
      (event) => {
        if (event.type === "text.delta") cancel.abort();
      },
    );
    expect(finished.reason).toBe("cancelled");
    expect(finished.history.messages.at(-1)).toEqual({ ...answer("One"), cancelled: true });
  });
});
