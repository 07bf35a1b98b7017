import { addCall, finishCall, markAnswered, markAsked, updateCall } from "#tui/state/call-entries.js";
import type { CallEntry, Entry } from "#tui/state/entry.js";
import { renderCall } from "#tui/view/render-call.js";
import { plainText } from "#terminal/text.js";
import type { ChatToolResult, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const question = (call: string | undefined) =>
  ({ type: "permission", id: "q", server: "files", tool: "write", arguments: {}, call }) as unknown as Question;
const result: ChatToolResult = { type: "tool_result", callId: "a", tool: "t", status: "ok", text: "" };

/** Two equal calls that run. */
const running = ["a", "b"].reduce<readonly Entry[]>(
  (entries, callId) =>
    updateCall(addCall(entries, { callId, name: "files:write", args: {} }), callId, (call) => ({
      ...call,
      status: "running",
      startedAt: 0,
    })),
  [],
);
const callIn = (entries: readonly Entry[], index: number) => entries[index] as CallEntry;
const shown = (call: CallEntry, now: number) => plainText(renderCall(call, { columns: 80, now })[0]!);

describe("the time of a call", () => {
  it("does not include the time in which the user was asked", () => {
    const asked = markAsked(running, question("b"), 1000);
    expect(shown(callIn(asked, 1), 9000)).toContain("waits for your answer");
    expect(shown(callIn(asked, 0), 9000)).toContain("running · 9.0 s");
    const answered = markAnswered(asked, question("b"), 9000);
    expect(shown(callIn(answered, 1), 11_000)).toContain("running · 3.0 s");
    expect(finishCall(callIn(answered, 1), result, 11_500).durationMs).toBe(3500);
  });

  it("goes on when the last of several questions is answered", () => {
    const asked = markAsked(markAsked(running, question("a"), 1000), question("a"), 2000);
    const once = markAnswered(asked, question("a"), 5000);
    expect(shown(callIn(once, 0), 8000)).toContain("waits for your answer");
    const twice = markAnswered(once, question("a"), 9000);
    expect(shown(callIn(twice, 0), 10_000)).toContain("running · 2.0 s");
  });

  it.each(["c", undefined])("is not affected by a question about the call %j", (call) => {
    expect(markAsked(running, question(call), 1000)).toEqual(running);
    expect(markAnswered(running, question(call), 1000)).toEqual(running);
  });

  it("is not affected by an answer to an unknown question", () => {
    expect(markAnswered(running, question("a"), 1000)).toEqual(running);
  });
});
