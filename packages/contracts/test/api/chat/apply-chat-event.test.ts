/** Tests the transcript of a chat, which the terminal and the page show. It is built from a view and events. */
import { applyChatEvent, openTranscript } from "#api/chat/apply-chat-event.js";
import type { ChatCallEntry, ChatTranscript } from "#api/chat/chat-transcript.js";
import type { ChatEvent, ChatInfo, ChatMessage, ChatToolResult, ChatView, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const NOW = 1000;
const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const CHAT: ChatInfo = {
  id: "chat",
  title: "",
  cwd: "/work",
  state: "idle",
  createdAt: 0,
  updatedAt: 0,
  messages: 0,
  usage: USAGE,
  context: { tokens: 0 },
};
const VIEW: ChatView = {
  chat: CHAT,
  caller: { kind: "chat", id: "chat" },
  messages: [],
  turn: [],
  queue: [],
  questions: [],
  seq: 0,
};
const CANCELLED = { type: "notice", tone: "warn", text: "Cancelled. The answer is not complete." };

const user = (text: string): ChatMessage => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (...content: (ChatMessage & { role: "assistant" })["content"]): ChatMessage => ({
  role: "assistant",
  content,
});
const say = (text: string) => ({ type: "text", text }) as const;
const think = (text: string) => ({ type: "reasoning", text }) as const;
const call = (callId: string, source?: string) =>
  ({ type: "tool_call", callId, tool: "mcp__math__add", ...(source && { source }), args: { a: 1 } }) as const;
const result = (callId: string, change: Partial<ChatToolResult> = {}): ChatToolResult => ({
  type: "tool_result",
  callId,
  tool: "mcp__math__add",
  status: "ok",
  text: "42",
  ...change,
});
const added = (message: ChatMessage): ChatEvent => ({ type: "message.added", message });
const started: ChatEvent = { type: "turn.started", input: "i1", model: "m" };
const finished = (reason: (ChatEvent & { type: "turn.finished" })["reason"]) =>
  ({ type: "turn.finished", input: "i1", reason, usage: USAGE }) as const;

function apply(transcript: ChatTranscript, ...events: readonly Parameters<typeof applyChatEvent>[1][]) {
  return events.reduce((state, event) => applyChatEvent(state, event, NOW), transcript);
}

function after(...events: readonly ChatEvent[]): ChatTranscript {
  return apply(openTranscript(VIEW, NOW), started, ...events);
}

describe("an answer", () => {
  it("grows with each delta, and is not repeated when its whole message is added", () => {
    const growing = after({ type: "text.delta", text: "Hel" }, { type: "text.delta", text: "lo" });
    expect(growing.entries).toEqual([{ type: "answer", text: "Hello", isDone: false }]);
    const whole = apply(growing, added(assistant(say("Hello"))));
    expect(whole.entries).toEqual([{ type: "answer", text: "Hello", isDone: true }]);
    expect(apply(whole, { type: "text.delta", text: "And" }).entries[1]).toMatchObject({ text: "And" });
  });

  it("shows the reasoning before the text, whether it was streamed or not", () => {
    const entries = [
      { type: "reasoning", text: "Hm", isDone: true },
      { type: "answer", text: "Hello", isDone: true },
    ];
    const message = added(assistant(think("Hm"), say("Hello")));
    const streamed = [{ type: "reasoning.delta", text: "Hm" } as const, { type: "text.delta", text: "Hello" } as const];
    expect(after(...streamed, message).entries).toEqual(entries);
    expect(after(message).entries).toEqual(entries);
    expect(after(streamed[0]!, message).entries).toEqual(entries);
  });

  it("is marked as void when the request is retried, and the whole answer of the retry follows", () => {
    const { entries } = after(
      { type: "text.delta", text: "Hel" },
      { type: "step.retried", attempt: 1, delayMs: 5, reason: "overloaded" },
      added(assistant(say("Hello"))),
    );
    expect(entries).toEqual([
      { type: "answer", text: "Hel", isDone: true, isVoid: true },
      { type: "notice", tone: "info", text: "The model did not answer (overloaded). Trying again…" },
      { type: "answer", text: "Hello", isDone: true },
    ]);
  });

  it("stays the same object while another answer grows", () => {
    const before = after(added(assistant(say("one"))), added(user("more")));
    const growing = apply(before, { type: "text.delta", text: "two" });
    expect(growing.entries.slice(0, 2).every((entry, index) => entry === before.entries[index])).toBe(true);
    expect(before.entries).toHaveLength(2);
  });
});

describe("a message of the user", () => {
  it("is shown without attached content", () => {
    const attached = { ...user("Resource a://1: a long text"), shownText: "sum it @docs:a://1" } as ChatMessage;
    expect(after(added(attached)).entries).toEqual([{ type: "user", text: "sum it @docs:a://1" }]);
    const image: ChatMessage = { role: "user", content: [say("look"), { type: "image", data: "", mimeType: "a/b" }] };
    expect(after(added(image)).entries).toEqual([{ type: "user", text: "look\n[image]" }]);
  });

  it("stays in the queue until its turn starts or fails, or it is removed", () => {
    const queued = ["i1", "i2", "i3", "i4"].map((id) => ({ id, input: { text: id } }));
    const waiting = apply(
      openTranscript({ ...VIEW, queue: queued.slice(0, 1) }, NOW),
      ...queued.slice(1).map((one) => ({ type: "input.queued", queued: one }) as const),
    );
    const ids = (...events: ChatEvent[]) => apply(waiting, ...events).queue.map(({ id }) => id);
    expect(ids()).toEqual(["i1", "i2", "i3", "i4"]);
    expect(ids(started)).toEqual(["i2", "i3", "i4"]);
    expect(ids({ type: "inputs.removed", inputs: ["i2", "i3"] })).toEqual(["i1", "i4"]);
    expect(ids({ ...finished("failed"), input: "i4" })).toEqual(["i1", "i2", "i3"]);
  });
});

describe("a call", () => {
  const running = after(added(assistant(say("Let me see."), call("a", "math:add"), call("b"))), {
    type: "tool.started",
    callId: "b",
    tool: "mcp__math__add",
  });
  const callIn = ({ entries }: ChatTranscript, id: string) =>
    entries.find((entry) => entry.type === "call" && entry.callId === id) as ChatCallEntry;
  const question = (id: string, about?: string) => ({ id, call: about }) as Question;
  const asked = (id: string, about?: string) => ({ type: "question.asked", question: question(id, about) }) as const;
  const settled = (id: string, about?: string) =>
    ({ type: "question.settled", question: question(id, about) }) as const;
  const end = (callId: string, durationMs: number) =>
    ({ type: "tool.finished", callId, tool: "t", status: "ok", durationMs, result: result(callId) }) as const;

  it("is shown as server:tool with its number, its progress, its duration and its result", () => {
    expect(running.entries).toMatchObject([
      { type: "answer" },
      { type: "call", name: "math:add", number: 1, status: "requested", args: { a: 1 } },
      { type: "call", name: "mcp__math__add", number: 2, status: "running", startedAt: NOW },
    ]);
    const half = apply(running, { type: "tool.progressed", callId: "b", progress: { progress: 1, total: 2 } });
    expect(callIn(half, "b").progress).toEqual({ progress: 1, total: 2 });
    const done = callIn(apply(half, end("b", 7)), "b");
    expect(done).toMatchObject({ status: "ok", durationMs: 7, result: { text: "42" } });
    expect(done).not.toHaveProperty("progress");
  });

  it("takes the result from the tool message if no event had it, and the name of the tool that returned it", () => {
    const content = [result("a"), result("b", { status: "error", untrusted: { source: "math:divide" } })];
    const ended = apply(running, end("a", 7));
    const done = apply(ended, added({ role: "tool", content }));
    expect(callIn(done, "a")).toBe(callIn(ended, "a"));
    expect(callIn(done, "a")).toMatchObject({ name: "math:add", status: "ok", durationMs: 7 });
    expect(callIn(done, "b")).toMatchObject({ name: "math:divide", status: "error" });
    expect(callIn(done, "b")).not.toHaveProperty("durationMs");
  });

  it("shows only its own questions, and its duration leaves out the time to answer them", () => {
    const waiting = applyChatEvent(running, asked("q1", "b"), 1000);
    expect(callIn(waiting, "b")).toMatchObject({ questions: ["q1"], askedAt: 1000 });
    expect(callIn(waiting, "a")).toEqual(callIn(running, "a"));
    const answered = applyChatEvent(waiting, settled("q1", "b"), 9000);
    expect(callIn(answered, "b")).toMatchObject({ questions: [], answeredInMs: 8000 });
    expect(callIn(answered, "b")).not.toHaveProperty("askedAt");
    expect(callIn(apply(answered, end("b", 11_500)), "b").durationMs).toBe(3500);
  });

  it("waits until the last of several questions is answered", () => {
    const twice = applyChatEvent(applyChatEvent(running, asked("q1", "a"), 1000), asked("q2", "a"), 2000);
    const again = applyChatEvent(twice, asked("q2", "a"), 2500);
    const once = applyChatEvent(again, settled("q1", "a"), 5000);
    expect(callIn(once, "a")).toMatchObject({ questions: ["q2"], askedAt: 1000 });
    expect(callIn(applyChatEvent(once, settled("q2", "a"), 9000), "a")).toMatchObject({ answeredInMs: 8000 });
  });

  it.each(["c", undefined])("is not affected by a question about another call or none: %j", (about) => {
    expect(apply(running, asked("q1", about), settled("q1", about)).entries).toEqual(running.entries);
  });

  it("is not affected by an answer to a question that was not asked, or by a question after its end", () => {
    expect(apply(running, settled("q1", "a")).entries).toEqual(running.entries);
    const done = apply(running, end("a", 7));
    expect(apply(done, asked("q1", "a")).entries).toEqual(done.entries);
  });
});

describe("a turn", () => {
  it("has not begun until the model gets a request, and then counts its tokens", () => {
    expect(after().turn).toEqual({ startedAt: NOW, hasBegun: false });
    const usage = { ...USAGE, inputTokens: 5 };
    const begun = after({ type: "step.started", step: 1, tools: 1 }, { type: "usage", usage: USAGE, turn: usage });
    expect(begun.turn).toEqual({ startedAt: NOW, hasBegun: true, usage });
  });

  it.each([
    ["cancelled", "warn", CANCELLED.text],
    [
      "step_limit",
      "warn",
      "The turn reached its limit of steps before the model was done. Send a message to continue.",
    ],
    ["output_limit", "warn", "The model's answer was cut at its maximum length. Send a message to continue."],
    ["refused", "warn", "The provider's content filter stopped the answer."],
    ["failed", "danger", "The turn failed."],
  ] as const)("that ended as %s says so after the text of its answer", (reason, tone, text) => {
    const { entries, turn } = after({ type: "text.delta", text: "Hal" }, finished(reason));
    expect(turn).toBeUndefined();
    expect(entries).toEqual([
      { type: "answer", text: "Hal", isDone: true },
      { type: "notice", tone, text },
    ]);
  });

  it("that failed shows the message of its error", () => {
    const error = { code: "MODEL_FAILED", message: "It is down.", details: { model: "m", reason: "down" } } as const;
    expect(after({ ...finished("failed"), error }).entries).toEqual([
      { type: "notice", tone: "danger", text: "It is down." },
    ]);
  });

  it("adds no notice when it is done, and only one when its answer was cancelled", () => {
    expect(after(finished("done")).entries).toEqual([]);
    const half = { ...assistant(say("Half")), cancelled: true } as ChatMessage;
    expect(after(added(half), finished("cancelled")).entries.slice(1)).toEqual([CANCELLED]);
  });
});

describe("a chat", () => {
  it("keeps its messages and shows the summary when it is compacted", () => {
    const summary = { ...user("They said hello."), summary: true } as ChatMessage;
    const { entries } = after(added(user("hello")), { type: "compacted", removedMessages: 3, messages: [summary] });
    expect(entries).toEqual([
      { type: "user", text: "hello" },
      { type: "summary", text: "They said hello.", removedMessages: 3 },
    ]);
    expect(openTranscript({ ...VIEW, messages: [summary] }, NOW).entries).toEqual([
      { type: "summary", text: "They said hello." },
    ]);
  });

  it("shows no messages after it is cleared, and says when it is closed", () => {
    const cleared = after(added(user("hello")), { type: "cleared" });
    expect(cleared.entries).toMatchObject([{ type: "notice", tone: "info" }]);
    const closed = apply(cleared, { type: "closed" });
    expect(closed).toMatchObject({ isClosed: true, turn: undefined, entries: [{}, { type: "notice" }] });
    expect(apply(closed, started).isClosed).toBe(false);
  });

  it("has the title and the model of its latest information", () => {
    expect(after({ type: "info.changed", chat: { ...CHAT, title: "New" } }).chat.title).toBe("New");
  });
});

describe("a chat that is opened again", () => {
  it("shows its messages, its running turn and its open questions", () => {
    const view: ChatView = {
      ...VIEW,
      chat: { ...CHAT, state: "running" },
      messages: [
        user("go"),
        { ...assistant(say("Half")), cancelled: true } as ChatMessage,
        user("on"),
        assistant(call("a", "math:add")),
        { role: "tool", content: [result("a", { status: "denied" })] },
        assistant(call("b")),
      ],
      turn: [started, { type: "tool.started", callId: "b", tool: "mcp__math__add" }],
      questions: [{ id: "q1", call: "b" } as Question],
    };
    const transcript = openTranscript(view, NOW);
    expect(transcript.entries).toMatchObject([
      { type: "user", text: "go" },
      { type: "answer", text: "Half", isDone: true },
      CANCELLED,
      { type: "user", text: "on" },
      { type: "call", name: "math:add", status: "denied" },
      { type: "call", status: "running", questions: ["q1"] },
    ]);
    expect(transcript.turn).toBeDefined();
    expect(openTranscript({ ...view, turn: [{ type: "text.delta", text: "A" }] }, NOW).turn?.hasBegun).toBe(true);
  });

  it("says that the host ended in the middle of a turn", () => {
    const view = { ...VIEW, chat: { ...CHAT, interrupted: true as const }, messages: [user("go")] };
    expect(openTranscript(view, NOW).entries).toMatchObject([
      { type: "user" },
      { type: "notice", tone: "warn", text: expect.stringContaining("The host ended while a turn ran") },
    ]);
  });
});
