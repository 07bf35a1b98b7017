import type { OfferedTool, Question, RegistryInputField } from "@plugboard/contracts";
import { byServer, filterCalls, toBuckets } from "#views/activity/call-statistics.js";
import { applyChatEvent, fromView } from "#views/chat/chat-state.js";
import { distinctQuestions, sameQuestions } from "#views/inbox/distinct-questions.js";
import { toRegistryValues } from "#views/servers/registry-values.js";
import { indexTools, searchTools } from "#views/tools/search-tools.js";
import { describe, expect, it } from "vitest";

const tool = (server: string, name: string, description = ""): OfferedTool => ({
  name: `mcp__${server}__${name}`,
  server,
  tool: name,
  description,
  inputSchema: {},
  origin: "mcp",
  pin: "",
});

describe("toRegistryValues", () => {
  const input = (name: string, more: Partial<RegistryInputField> = {}): RegistryInputField => ({
    name,
    required: false,
    secret: false,
    format: "string",
    repeated: false,
    ...more,
  });

  it("takes one value of each line for an input that repeats, and leaves a secret as it is", () => {
    const inputs = [input("dir", { repeated: true }), input("key", { secret: true }), input("level"), input("none")];
    const texts = { dir: "/a b\n\n/c\n", key: " k ", level: " debug ", none: " " };
    expect(toRegistryValues(inputs, texts)).toEqual({ dir: ["/a b", "/c"], key: [" k "], level: ["debug"] });
  });

  it("requires a value, unless there is a default or it is a secret that can be set later", () => {
    const required = { required: true };
    const secret = input("key", { ...required, secret: true });
    expect(toRegistryValues([input("a", { ...required, default: "x" }), secret], {})).toEqual({});
    expect(() => toRegistryValues([secret, input("b", required)], {})).toThrow("Fill in b.");
  });
});

describe("searchTools", () => {
  it("finds tools with all words, those with the words in their name first", () => {
    const index = indexTools([tool("a", "list", "reads a file"), tool("files", "read"), tool("b", "other")]);
    expect(searchTools(index, "READ file").map(({ tool: name }) => name)).toEqual(["read", "list"]);
    expect(searchTools(index, " ")).toHaveLength(3);
  });
});

describe("call statistics", () => {
  const call = (at: number, durationMs: number, failed = false) => ({
    call: String(at),
    at,
    caller: "cli" as const,
    server: "s",
    tool: "t",
    outcome: failed ? ("failed" as const) : ("complete" as const),
    durationMs,
  });

  it("counts the calls of each server, the one with the most calls first", () => {
    const calls = [call(10, 1), { ...call(20, 3), server: "other" }, call(80, 5, true)];
    expect(byServer(calls, 100, 100, 2)).toMatchObject([
      { server: "s", total: 2, failed: 1, p50: 5, counts: [1, 1] },
      { server: "other", total: 1, failed: 0, p99: 3, counts: [1, 0] },
    ]);
  });

  it("groups calls into equal parts of the time span", () => {
    const [first, second] = toBuckets([call(10, 1), call(20, 3), call(80, 5, true)], 100, 100, 2);
    expect(first).toMatchObject({ total: 2, failed: 0, p50: 3 });
    expect(second).toMatchObject({ total: 1, failed: 1, p99: 5 });
  });

  it("filters by server, caller, text and failure", () => {
    const calls = [call(1, 1), call(2, 2, true)];
    const all = { server: "", caller: "", text: "", onlyFailed: false };
    expect(filterCalls(calls, { ...all, onlyFailed: true })).toHaveLength(1);
    expect(filterCalls(calls, { ...all, server: "other" })).toHaveLength(0);
    expect(filterCalls(calls, { ...all, text: "S:T" })).toHaveLength(2);
  });
});

describe("distinctQuestions", () => {
  const trust = (id: string, command: string) =>
    ({ type: "trust", id, server: "s", owner: "workspace", definition: { command } }) as unknown as Question;
  const login = (id: string, step?: object) =>
    ({ type: "login", id, server: "s", owner: "workspace", ...(step && { step }) }) as unknown as Question;

  it("joins questions about the same definition, and answers all of them", () => {
    const questions = [trust("1", "a"), trust("2", "a"), trust("3", "b")];
    expect(distinctQuestions(questions).map(({ id }) => id)).toEqual(["1", "3"]);
    expect(sameQuestions(questions, questions[0]!).map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("shows the login that has begun", () => {
    expect(distinctQuestions([login("1"), login("2", { type: "browser" }), login("3")]).map(({ id }) => id)).toEqual([
      "2",
    ]);
    expect(distinctQuestions([login("1"), login("2")]).map(({ id }) => id)).toEqual(["1"]);
  });
});

describe("the state of a chat", () => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const view = {
    chat: {
      id: "c",
      title: "",
      cwd: "/",
      state: "idle",
      createdAt: 0,
      updatedAt: 0,
      messages: 0,
      usage,
      context: { tokens: 0 },
    },
    caller: { kind: "chat", id: "c" },
    messages: [],
    turn: [],
    queue: [],
    questions: [],
    seq: 0,
  } as const;

  it("shows the streamed text until the message is added, and why a turn ended", () => {
    let state = fromView(view);
    state = applyChatEvent(state, { type: "turn.started", input: "1", model: "m" });
    state = applyChatEvent(state, { type: "text.delta", text: "Hel" });
    state = applyChatEvent(state, { type: "text.delta", text: "lo" });
    expect([state.running, state.text]).toEqual([true, "Hello"]);
    const message = { role: "assistant", content: [{ type: "text", text: "Hello" }] } as const;
    state = applyChatEvent(state, { type: "message.added", message });
    expect([state.text, state.messages]).toEqual(["", [message]]);
    state = applyChatEvent(state, { type: "turn.finished", input: "1", reason: "step_limit", usage });
    expect([state.running, state.end]).toEqual([false, "The turn reached its limit of steps."]);
  });
});
