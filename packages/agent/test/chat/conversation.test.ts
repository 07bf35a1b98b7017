/** Tests the events and the queue of a conversation, and what it stores when. The model is in the same process. */
import type { ChatEvent, ChatInput, ChatLimits, ChatMessage } from "@plugboard/contracts";
import { HostError } from "@plugboard/contracts";
import { EMPTY_HISTORY } from "@plugboard/agent";
import type { History, Model } from "@plugboard/agent";
import { Conversation } from "#chat/index.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { call, fakeModel, finish, say, USAGE } from "../helpers/fake-model.ts";
import { deferred, definition, NO_TOOLS, toolsOf } from "../helpers/scripted-turn.ts";

const ask = (text: string): ChatMessage => ({ role: "user", content: [{ type: "text", text }] });
const answer = (text: string): ChatMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const COST = { ...USAGE, cost: 0 };
const FREE = { price: { input: 0, output: 0 } };

interface Settings {
  readonly history?: History;
  readonly tools?: typeof NO_TOOLS;
  readonly limits?: ChatLimits;
  readonly readInput?: (input: ChatInput, signal: AbortSignal) => Promise<never>;
  readonly onChanged?: () => Promise<void>;
}

function open(openModel: () => Promise<Model>, settings: Settings = {}) {
  const { tools = NO_TOOLS, onChanged = async () => {}, readInput, ...rest } = settings;
  const clock = new ManualClock();
  const events: ChatEvent[] = [];
  let changes = 0;
  let ids = 0;
  const conversation: Conversation = new Conversation({
    id: "chat1",
    tools: { inTurn: () => tools } as never,
    system: "Be kind.",
    openModel,
    readInput: readInput ?? (async ({ text }) => [{ type: "text", text }]),
    emit: (event) => {
      events.push(event);
      if (event.type === "turn.finished") expect(conversation.turn).toEqual([]);
    },
    onChanged: async () => {
      changes++;
      await onChanged();
    },
    newId: () => `m${++ids}`,
    after: (ms, run) => clock.after(ms, run),
    ...rest,
  });
  const typesOf = () => events.map(({ type }) => type);
  return { conversation, events, typesOf, clock, changes: () => changes };
}

const withModel = (model: Model, settings?: Settings) => open(async () => model, settings);

describe("a conversation", () => {
  it("stores a short form of attached content for people to see, and sends all of it to the model", async () => {
    const model = fakeModel([say("Done.")]);
    const content = [{ type: "text", text: "a long review" }];
    const { conversation } = withModel(model, { readInput: async () => content as never });
    await conversation.send({ text: "", prompt: { server: "docs", name: "review" } });
    await conversation.whenIdle();
    const message = { role: "user", content, shownText: "/docs:review" };
    expect(conversation.messages[0]).toEqual(message);
    expect(conversation.history.messages[0]).toEqual(message);
    expect(model.requests[0]).toMatchObject({ messages: [{ content }] });
  });

  it("emits the events of a turn with the id of its message, and keeps the history", async () => {
    const model = fakeModel([[call("1", "look"), finish()], say("Stars.")], { ...FREE, contextTokens: 1000 });
    const definitions = [{ ...definition("look"), displayName: "sky:look" }, definition("other")];
    const tools = { ...toolsOf({ look: () => "seen" }), list: () => definitions };
    const { conversation, events, changes } = withModel(model, { tools });
    expect(conversation.contextTokens).toBeUndefined();
    expect(await conversation.send({ text: "Look" })).toEqual({ id: "m1", input: { text: "Look" } });
    expect(conversation.running).toBe(true);
    await conversation.whenIdle();
    expect(conversation.running).toBe(false);
    expect(conversation.contextTokens).toBe(1000);
    const result = { type: "tool_result", callId: "m2", tool: "look", status: "ok", text: "seen" };
    const request = { callId: "m2", tool: "look", source: "sky:look", args: {} };
    const called = { role: "assistant", content: [{ type: "tool_call", ...request }] };
    const total = { ...COST, inputTokens: 20, outputTokens: 10 };
    expect(events).toEqual([
      { type: "turn.started", input: "m1", model: "own/fake" },
      { type: "message.added", message: ask("Look") },
      { type: "step.started", step: 1, tools: 2 },
      { type: "message.added", message: called },
      { type: "usage", usage: COST, turn: COST },
      { type: "tool.requested", ...request },
      { type: "tool.started", callId: "m2", tool: "look", source: "sky:look" },
      {
        type: "tool.finished",
        callId: "m2",
        tool: "look",
        status: "ok",
        durationMs: expect.any(Number) as number,
        result,
      },
      { type: "message.added", message: { role: "tool", content: [result] } },
      { type: "step.started", step: 2, tools: 2 },
      { type: "text.delta", text: "Stars." },
      { type: "message.added", message: answer("Stars.") },
      { type: "usage", usage: COST, turn: total },
      { type: "turn.finished", input: "m1", reason: "done", usage: total },
    ]);
    const stored = { role: "assistant", content: [{ callId: "m2", modelCallId: "1" }] };
    expect(conversation.history).toMatchObject({ messages: [{}, stored, {}, answer("Stars.")], usage: total });
    expect(conversation.messages[1]).toEqual(called);
    expect(model.requests[0]).toMatchObject({ messages: [ask("Look")] });
    expect(model.requests[0]?.system).toMatch(/^Be kind\.\n/);
    expect(conversation.turn).toEqual([]);
    // Stored before and after the turn, and with each of the four messages.
    expect(changes()).toBe(6);
  });

  it("stores the message with a call before the call runs", async () => {
    const order: string[] = [];
    const stored = deferred();
    const tools = toolsOf({ look: () => (order.push("call"), "seen") });
    const model = fakeModel([[call("1", "look"), finish()], say("Stars.")]);
    const { conversation }: ReturnType<typeof open> = withModel(model, {
      tools,
      onChanged: async () => {
        if (conversation.history.messages.at(-1)?.role !== "assistant" || order.length > 0) return;
        await stored.promise;
        order.push("stored");
      },
    });
    await conversation.send({ text: "Look" });
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    stored.resolve();
    await conversation.whenIdle();
    expect(order.slice(0, 2)).toEqual(["stored", "call"]);
  });

  it("joins deltas, and shows the turn so far to a new watcher", async () => {
    const go = deferred();
    const model: Model = {
      id: "own/slow",
      async *stream() {
        yield { type: "text", delta: "On" };
        yield { type: "text", delta: "e" };
        await go.promise;
        yield finish();
      },
    };
    const { conversation, typesOf } = withModel(model);
    await conversation.send({ text: "Count" });
    await new Promise(setImmediate);
    expect(typesOf()).toEqual(["turn.started", "message.added", "step.started"]);
    expect(conversation.turn).toEqual([
      { type: "turn.started", input: "m1", model: "own/slow" },
      { type: "step.started", step: 1, tools: 0 },
      { type: "text.delta", text: "One" },
    ]);
    go.resolve();
    await conversation.whenIdle();
    expect(conversation.turn).toEqual([]);
  });

  it("ends a turn at its limits", async () => {
    const model = fakeModel([[call("1", "look"), finish()]]);
    const { conversation, events } = withModel(model, { tools: toolsOf({ look: () => "seen" }), limits: { steps: 1 } });
    await conversation.send({ text: "Look" });
    await conversation.whenIdle();
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", reason: "step_limit" });
  });

  it("adds a result for a call that has none in the stored history", () => {
    const called: ChatMessage = {
      role: "assistant",
      content: [{ type: "tool_call", callId: "1", tool: "t", args: {} }],
    };
    const { conversation } = withModel(fakeModel([]), { history: { ...EMPTY_HISTORY, messages: [ask("a"), called] } });
    expect(conversation.history.messages).toHaveLength(3);
  });

  it("emits the call of an unknown tool without a source", async () => {
    const { conversation, events } = withModel(fakeModel([[call("1", "made_up"), finish()], say("I see.")]));
    await conversation.send({ text: "Go" });
    await conversation.whenIdle();
    const requested = events.find(({ type }) => type === "tool.requested");
    expect(requested).toEqual({ type: "tool.requested", callId: "m2", tool: "made_up", args: {} });
  });

  it("refuses a message if no model is set, or after it is closed", async () => {
    const missing = new HostError("MODEL_NOT_SET", { found: [] });
    const { conversation, events } = open(() => Promise.reject(missing));
    await expect(conversation.send({ text: "Hi" })).rejects.toBe(missing);
    expect([events, conversation.queue, conversation.running]).toEqual([[], [], false]);
    const closed = withModel(fakeModel([])).conversation;
    await closed.close();
    await expect(closed.send({ text: "Hi" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(closed.queue).toEqual([]);
  });

  it("fails the turn if an attachment can't be read", async () => {
    const error = new HostError("HOST_CLOSED", {});
    const { conversation, events } = withModel(fakeModel([]), { readInput: () => Promise.reject(error) });
    await conversation.send({ text: "Hi" });
    await conversation.whenIdle();
    expect(events.at(-1)).toEqual({
      type: "turn.finished",
      input: "m1",
      reason: "failed",
      error: error.toJSON(),
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 },
    });
    expect(conversation.running).toBe(false);
  });

  it("cancels the turn while an attachment is read", async () => {
    const { conversation, events } = withModel(fakeModel([]), {
      readInput: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    await conversation.send({ text: "Hi" });
    conversation.cancel();
    await conversation.whenIdle();
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", reason: "cancelled" });
    expect(events.at(-1)).not.toHaveProperty("error");
  });

  it("ends a failed turn with the error of the model", async () => {
    const { conversation, events } = withModel(fakeModel([[]]));
    await conversation.send({ text: "Hi" });
    await conversation.whenIdle();
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", input: "m1", error: { code: "MODEL_FAILED" } });
  });
});

/** A model whose first answer waits. */
function waitingModel() {
  const go = deferred();
  let requests = 0;
  const model: Model = {
    id: "own/waiting",
    async *stream() {
      if (++requests === 1) await go.promise;
      yield* say(`Answer ${requests}`);
    },
  };
  return { model, go };
}

describe("messages during a turn", () => {
  it("wait and run one after the other, each with its own model", async () => {
    const { model, go } = waitingModel();
    let opened = 0;
    const { conversation, events } = open(async () => (opened++, model));
    await conversation.send({ text: "a" });
    const sent = await conversation.send({ text: "b" });
    await conversation.send({ text: "c" });
    expect(conversation.queue.map(({ id }) => id)).toEqual(["m2", "m3"]);
    expect(events.filter(({ type }) => type === "input.queued")).toMatchObject([{ queued: sent }, {}]);
    go.resolve();
    await conversation.whenIdle();
    expect(events.flatMap((event) => (event.type === "turn.started" ? [event.input] : []))).toEqual(["m1", "m2", "m3"]);
    expect(conversation.history.messages).toHaveLength(6);
    expect(opened).toBe(5);
  });

  it("are removed when the turn is cancelled", async () => {
    const { conversation, events } = withModel(waitingModel().model);
    await conversation.send({ text: "a" });
    await conversation.send({ text: "b" });
    expect(conversation.cancel()).toEqual([{ id: "m2", input: { text: "b" } }]);
    await conversation.whenIdle();
    expect(conversation.queue).toEqual([]);
    expect(events).toContainEqual({ type: "inputs.removed", inputs: ["m2"] });
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", input: "m1", reason: "cancelled" });
    expect(conversation.cancel()).toEqual([]);
    expect(events.filter(({ type }) => type === "inputs.removed")).toHaveLength(1);
  });

  it("are removed one by one by their id, without an effect on the others", async () => {
    const { model, go } = waitingModel();
    const { conversation, events } = withModel(model);
    for (const text of ["a", "b", "c"]) await conversation.send({ text });
    expect(conversation.cancel("m2").map(({ id }) => id)).toEqual(["m2"]);
    expect(conversation.cancel("unknown")).toEqual([]);
    expect(conversation.queue.map(({ id }) => id)).toEqual(["m3"]);
    go.resolve();
    await conversation.whenIdle();
    const ends = events.flatMap((event) => (event.type === "turn.finished" ? [[event.input, event.reason]] : []));
    expect(ends).toEqual([
      ["m1", "done"],
      ["m3", "done"],
    ]);
  });

  it("are kept if only the running turn is cancelled by its id", async () => {
    const { conversation, events } = withModel(waitingModel().model);
    await conversation.send({ text: "a" });
    await conversation.send({ text: "b" });
    await new Promise(setImmediate);
    expect(conversation.cancel("m1")).toEqual([]);
    await conversation.whenIdle();
    const ends = events.flatMap((event) => (event.type === "turn.finished" ? [[event.input, event.reason]] : []));
    expect(ends).toEqual([
      ["m1", "cancelled"],
      ["m2", "done"],
    ]);
  });

  it("are cancelled when the conversation closes", async () => {
    const { conversation, events } = withModel(waitingModel().model);
    await conversation.send({ text: "a" });
    await conversation.send({ text: "b" });
    await conversation.close();
    expect([conversation.running, conversation.queue]).toEqual([false, []]);
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", reason: "cancelled" });
  });
});

describe("a conversation that is cleared or compacted", () => {
  const talk = [ask("a"), answer("b"), ask("c"), answer("d")];
  const history = { ...EMPTY_HISTORY, messages: talk, toolOrder: ["t"], usage: { ...COST, cost: 1 } };

  it("forgets its messages, but not its usage", () => {
    const { conversation, events, changes } = withModel(fakeModel([]), { history });
    conversation.clear();
    expect(conversation.history).toEqual({ ...EMPTY_HISTORY, usage: { ...COST, cost: 1 } });
    expect(events).toEqual([{ type: "cleared" }]);
    expect(changes()).toBe(1);
  });

  it("gets a summary with the user's instructions", async () => {
    const model = fakeModel([say("They talked.")], FREE);
    const { conversation, events, changes } = withModel(model, { history });
    const compacting = conversation.compact("the names");
    expect(conversation.running).toBe(true);
    await compacting;
    expect(conversation.running).toBe(false);
    expect(events).toMatchObject([
      { type: "usage", usage: COST, turn: COST },
      { type: "compacted", removedMessages: 2, messages: [{ role: "user", summary: true }, ...talk.slice(2)] },
    ]);
    expect(conversation.history.messages).toHaveLength(3);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("the names");
    expect(changes()).toBe(2);
    const plain = fakeModel([say("They talked.")]);
    await withModel(plain, { history }).conversation.compact(undefined);
    expect(JSON.stringify(plain.requests[0]?.messages)).not.toContain("emphasise");
  });

  it("emits nothing if there is nothing to summarise", async () => {
    const { conversation, events } = withModel(fakeModel([]));
    await conversation.compact(undefined);
    expect([events, conversation.running]).toEqual([[], false]);
  });

  it("refuses other changes during a compaction, but queues messages", async () => {
    const { model, go } = waitingModel();
    const { conversation, events } = withModel(model, { history });
    const compacting = conversation.compact(undefined);
    expect(() => conversation.clear()).toThrow(
      expect.objectContaining({ code: "CHAT_BUSY", details: { chat: "chat1" } }),
    );
    await expect(conversation.compact(undefined)).rejects.toMatchObject({ code: "CHAT_BUSY" });
    await conversation.send({ text: "later" });
    expect(conversation.queue).toHaveLength(1);
    go.resolve();
    await compacting;
    await conversation.whenIdle();
    expect(events.at(-1)).toMatchObject({ type: "turn.finished", input: "m1", reason: "done" });
  });

  it("cancels a running compaction when it closes, and waits for its end", async () => {
    const { conversation } = withModel(waitingModel().model, { history });
    const compacting = conversation.compact(undefined);
    const failed = expect(compacting).rejects.toMatchObject({ code: "CANCELLED" });
    await conversation.close();
    expect(conversation.running).toBe(false);
    await failed;
  });

  it("has the shorter history after a turn that compacts it", async () => {
    const model = fakeModel([say("They talked."), say("Done.")], { contextTokens: 2, ...FREE });
    let turnAfter: readonly ChatEvent[] = [];
    const stream = model.stream.bind(model);
    const watched: Model = {
      ...model,
      stream: (request) => {
        turnAfter = [...conversation.turn];
        return stream(request);
      },
    };
    const { conversation, events, changes }: ReturnType<typeof open> = withModel(watched, { history });
    await conversation.send({ text: "Go" });
    await conversation.whenIdle();
    const compacted = events.find(({ type }) => type === "compacted");
    expect(compacted).toMatchObject({
      removedMessages: expect.any(Number) as number,
      messages: [{ summary: true }, {}],
    });
    expect(compacted).not.toHaveProperty("history");
    expect(turnAfter).toEqual([
      { type: "turn.started", input: "m1", model: "own/fake" },
      { type: "step.started", step: 1, tools: 0 },
    ]);
    expect(conversation.history.messages[0]).toMatchObject({ summary: true });
    expect(changes()).toBe(5);
  });
});

it("a sampling request uses the model of the chat and counts towards its usage", async () => {
  const { conversation, changes } = withModel(fakeModel([say("Yes."), say("Hi.")], FREE));
  const { signal } = new AbortController();
  expect(await conversation.sample({ messages: [] }, signal)).toMatchObject({ content: { text: "Yes." } });
  expect(changes()).toBe(1);
  expect(conversation.history.usage).toEqual(COST);
  await conversation.send({ text: "Hi" });
  await conversation.whenIdle();
  expect(conversation.history.usage.inputTokens).toBe(20);
});
