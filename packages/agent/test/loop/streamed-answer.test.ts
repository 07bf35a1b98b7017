/** Tests how the parts of a streamed answer become a message. */
import { StreamedAnswer } from "#loop/streamed-answer.js";
import type { ModelPart } from "@plugboard/agent";
import { describe, expect, it } from "vitest";
import { call, finish } from "../helpers/fake-model.ts";

function answerOf(parts: readonly ModelPart[], usedIds: readonly string[] = []): StreamedAnswer {
  let ids = 0;
  const answer = new StreamedAnswer(new Set(usedIds), () => `n${++ids}`);
  for (const part of parts) answer.add(part);
  return answer;
}

const text = (delta: string, id?: string): ModelPart => ({ type: "text", delta, ...(id !== undefined && { id }) });
const reasoning = (delta: string, id?: string): ModelPart => ({ ...text(delta, id), type: "reasoning" }) as ModelPart;
const contentOf = (...parts: ModelPart[]) => answerOf(parts).message().content;
const modelIdsOf = (parts: readonly ModelPart[], usedIds?: readonly string[]) =>
  answerOf(parts, usedIds)
    .message()
    .content.map((part) => (part.type === "tool_call" ? part.modelCallId : part.type));

describe("the message of an answer", () => {
  it("joins the deltas of a part, by type and id", () => {
    expect(contentOf(reasoning("H"), reasoning("m."), text("Hel"), text("lo"))).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello" },
    ]);
    expect(contentOf(text("a", "1"), text("b", "2"), text("c", "1"))).toEqual([
      { type: "text", text: "ac" },
      { type: "text", text: "b" },
    ]);
  });

  it("begins another part after an end or a call", () => {
    expect(contentOf(text("a"), { type: "end" }, text("b"))).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
    expect(contentOf(text("a"), call("1", "look"), text("b"))).toEqual([
      { type: "text", text: "a" },
      { type: "tool_call", callId: "n1", modelCallId: "1", tool: "look", args: {} },
      { type: "text", text: "b" },
    ]);
  });

  it("keeps the metadata of a call, and of a part with metadata in a delta or in its end", () => {
    const metadata = { own: { signature: "s" } };
    expect(
      contentOf(
        { type: "reasoning", id: "1", delta: "", metadata: { own: { signature: "old" } } },
        { type: "end", id: "1", metadata },
        { type: "text", delta: "a", metadata },
        text("b"),
        { ...call("1", "look"), metadata } as ModelPart,
      ),
    ).toEqual([
      { type: "reasoning", text: "", metadata },
      { type: "text", text: "ab", metadata },
      { type: "tool_call", callId: "n1", modelCallId: "1", tool: "look", args: {}, metadata },
    ]);
    expect(contentOf({ type: "end", id: "unknown", metadata })).toEqual([]);
  });

  it("has no empty parts", () => {
    expect(contentOf(text(""), reasoning(""), text("", "2"))).toEqual([]);
  });

  it("has the finish reason", () => {
    expect(answerOf([text("a")]).finish).toBeUndefined();
    expect(answerOf([text("a"), finish("length")]).finish).toEqual(finish("length"));
  });

  it("forgets everything before a retry", () => {
    const retry: ModelPart = { type: "retry", attempt: 1, delayMs: 0, reason: "broken" };
    const many = Array.from({ length: 130 }, () => call("x", "look", "no JSON"));
    const answer = answerOf([text("Half", "1"), ...many, retry, text("Whole", "1"), call("x", "look")]);
    expect(answer.message().content).toEqual([
      { type: "text", text: "Whole" },
      { type: "tool_call", callId: "n130", modelCallId: "x", tool: "look", args: {} },
    ]);
    expect(answer.problems.size).toBe(0);
    const full = Array.from({ length: 128 }, (_, index) => call(`c${index}`, "look"));
    expect(answerOf([...many, retry, ...full]).problems.size).toBe(0);
    const repeated = [call("x", "look"), call("x", "look"), retry, call("x", "a"), call("x", "b")];
    expect(modelIdsOf(repeated)).toEqual(["x", "x_2"]);
  });
});

describe("the message of a cancelled answer", () => {
  it("has only its texts, without metadata", () => {
    const metadata = { own: { id: "1" } };
    const parts = [reasoning("Hm."), text("a", "1"), text("", "2"), call("1", "look")];
    expect(answerOf([...parts, { type: "text", delta: "b", id: "3", metadata }]).cancelledMessage()).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      cancelled: true,
    });
  });
});

describe("the calls of an answer", () => {
  it("get new ids, and keep the model's ids with a suffix for those that repeat", () => {
    const repeated = [call("a", "x"), call("a", "x"), call("b", "x"), call("a", "x")];
    expect(contentOf(...repeated)).toMatchObject(["n1", "n2", "n3", "n4"].map((callId) => ({ callId })));
    expect(modelIdsOf(repeated)).toEqual(["a", "a_2", "b", "a_3"]);
    expect(modelIdsOf([call("", "x"), call("", "x")])).toEqual(["call_2", "call_3"]);
    expect(modelIdsOf([call("a", "x"), call("a", "x")], ["a", "a_2"])).toEqual(["a_3", "a_4"]);
  });

  it("have their arguments, or a problem if these are invalid", () => {
    const answer = answerOf([call("a", "x", '{"n":1}'), call("b", "x", "[]")]);
    expect(answer.message().content).toEqual([
      { type: "tool_call", callId: "n1", modelCallId: "a", tool: "x", args: { n: 1 } },
      { type: "tool_call", callId: "n2", modelCallId: "b", tool: "x", args: {} },
    ]);
    expect([...answer.problems]).toEqual([["n2", "The arguments must be a JSON object. Received: []"]]);
  });

  it("are at most 128, and the problem of the 129th says how many were ignored", () => {
    const calls = (count: number) => Array.from({ length: count }, (_, index) => call(`c${index}`, "x", "[]"));
    const allowed = answerOf(calls(128));
    expect(allowed.message().content).toHaveLength(128);
    expect(allowed.problems.get("n128")).toContain("JSON object");
    const one = answerOf(calls(129));
    expect(one.message().content).toHaveLength(129);
    expect(one.problems.get("n129")).toBe("An answer can have 128 calls. This call and the 0 after it were ignored.");
    const many = answerOf(calls(140));
    expect(many.message().content).toHaveLength(129);
    expect(many.problems.get("n129")).toBe("An answer can have 128 calls. This call and the 11 after it were ignored.");
    expect(many.problems.size).toBe(129);
  });
});
