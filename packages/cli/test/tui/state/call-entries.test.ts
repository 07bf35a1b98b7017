import { addCall, finishCall, markAnswered, markAsked, updateCall } from "#tui/state/call-entries.js";
import type { CallEntry, Entry } from "#tui/state/entry.js";
import { renderCall } from "#tui/view/render-call.js";
import { plainText } from "#terminal/text.js";
import type { ChatToolResult, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const question = (args: object) =>
  ({ type: "permission", id: "q", server: "files", tool: "write", arguments: args }) as unknown as Question;
const result: ChatToolResult = { type: "tool_result", callId: "a", tool: "t", status: "ok", text: "" };

/** Two running calls of the same tool with different arguments. */
const running = ["a", "b"].reduce<readonly Entry[]>(
  (entries, path) =>
    updateCall(addCall(entries, { callId: path, name: "files:write", args: { path } }), path, (call) => ({
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
    const asked = markAsked(running, question({ path: "b" }), 1000);
    expect(shown(callIn(asked, 1), 9000)).toContain("waits for your answer");
    expect(shown(callIn(asked, 0), 9000)).toContain("running · 9.0 s");
    const answered = markAnswered(asked, question({ path: "b" }), 9000);
    expect(shown(callIn(answered, 1), 11_000)).toContain("running · 3.0 s");
    expect(finishCall(callIn(answered, 1), result, 11_500).durationMs).toBe(3500);
  });

  it("is not affected by a question about another call", () => {
    expect(markAsked(running, question({ path: "c" }), 1000)).toEqual(running);
    expect(markAnswered(running, question({ path: "a" }), 1000)).toEqual(running);
  });
});
