import { applyChatEvent, openTranscript } from "@plugboard/contracts";
import type { ChatCallEntry, ChatEntry, ChatToolResult, ChatTranscript } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { plainText, styled } from "#terminal/text.js";
import { textColumns } from "#terminal/text-width.js";
import { EMPTY_EDITOR } from "#tui/input/editor.js";
import { renderControls, renderFrame } from "#tui/render-frame.js";
import { renderWholeCall } from "#tui/view/render-call.js";
import { renderEntry } from "#tui/view/render-entry.js";
import { callEntry, chatInfo, chatView, usage } from "../../helpers/chat-fixtures.ts";

const size = { columns: 60, rows: 24 };
const state = (text = "") => ({
  editor: { ...EMPTY_EDITOR, text, cursor: text.length },
  transcript: undefined,
  servers: [],
  selected: 0,
});
const result: ChatToolResult = { type: "tool_result", callId: "c", tool: "t", status: "ok", text: "1\n2\n3\n4\n5" };
const call = callEntry({
  number: 2,
  args: { a: 1, b: "x\u001b[2Jy" },
  status: "ok",
  durationMs: 1234,
  result,
});

describe("renderControls and renderFrame", () => {
  it("shows the model, tokens and cost in 60 columns", () => {
    const chat = chatInfo({ usage: usage(12_000, 345, 0.0123), context: { tokens: 50, limit: 200 } });
    const transcript = openTranscript(chatView({ chat }), 0);
    const servers = [{ id: "a", state: "ready", enabled: true }] as const;
    const { rows } = renderControls({ ...state(), transcript, servers }, size, 0);
    expect(plainText(rows.at(-2)!)).toBe("test/model · 12.3k tokens (25% of context) · $0.0123 · 1 s…");
  });

  it("names the servers that the first turn waits for", () => {
    const view = openTranscript(chatView(), 0);
    const started = applyChatEvent(view, { type: "turn.started", input: "i", model: "m" }, 0);
    const servers = [
      { id: "slow", state: "connecting", enabled: true },
      { id: "fast", state: "ready", enabled: true },
    ] as const;
    const shown = (transcript: ChatTranscript) =>
      renderControls({ ...state(), transcript, servers }, size, 0)
        .rows.map(plainText)
        .join("\n");
    expect(shown(started)).toContain("waiting for slow … (Esc cancels)");
    const begun = applyChatEvent(started, { type: "step.started", step: 1, tools: 1 }, 0);
    expect(shown(begun)).toContain("working … (Esc cancels)");
  });

  it("shows only the end of a pasted text of 10 000 characters, with the cursor in it", () => {
    const { rows, cursor } = renderControls(state("word ".repeat(2000)), size, 0);
    expect(rows.length).toBeLessThan(14);
    expect(rows.map(plainText).join("\n")).toContain("10000 characters in all");
    expect(cursor.row).toBeLessThan(rows.length);
  });

  it("make a frame that is lower and not wider than the terminal, whatever is shown", () => {
    const live = Array.from({ length: 100 }, () => "a b c");
    const { rows } = renderFrame(live, renderControls(state("x".repeat(500)), { columns: 60, rows: 15 }, 0));
    expect(rows.length).toBeLessThan(15);
    for (const row of rows) expect(textColumns(plainText(row))).toBeLessThanOrEqual(60);
  });

  it("places the cursor behind the text", () => {
    expect(renderControls(state("héllo\nwörld"), size, 0).cursor).toEqual({ row: 3, column: 7 });
  });
});

describe("renderEntry", () => {
  it(
    "shows a call with its arguments, its duration and the beginning of its result",
    { meta: { covers: ["A7"] } },
    () => {
      expect(renderEntry(call, { columns: 80, now: 0 }).map(plainText)).toEqual([
        "",
        "● math:add a=1 b=x<U+001B>[2Jy  1.2 s",
        "  │ 1",
        "  │ 2",
        "  │ 3",
        "  … 2 more lines (Ctrl-O or /result 2)",
      ]);
    },
  );

  it("shows how long a call runs, without the time in which the user was asked", () => {
    const shown = (change: Partial<ChatCallEntry>, now: number) =>
      plainText(renderEntry(callEntry({ status: "running", startedAt: 0, ...change }), { columns: 80, now })[1]!);
    expect(shown({}, 9000)).toContain("running · 9.0 s");
    expect(shown({ askedAt: 1000, questions: ["q"] }, 9000)).toMatch(/waits for your answer$/);
    expect(shown({ answeredInMs: 8000 }, 11_000)).toContain("running · 3.0 s");
  });

  it("shows a notice in its colour, and that older messages were replaced", () => {
    const rows = (...entries: ChatEntry[]) => entries.flatMap((entry) => renderEntry(entry, { columns: 80, now: 0 }));
    expect(rows({ type: "notice", tone: "danger", text: "It failed." })).toEqual([
      "",
      ["", styled("red", "It failed.")],
    ]);
    const [, summary] = rows({ type: "summary", text: "They said hello.", removedMessages: 3 });
    expect(plainText(summary!)).toBe("3 older messages were replaced by a summary.");
  });

  it("shortens a long message of the user", () => {
    const rows = renderEntry({ type: "user", text: "line\n".repeat(50) }, { columns: 80, now: 0 });
    expect(rows.map(plainText).slice(-1)).toEqual(["  … 38 more lines"]);
  });
});

describe("renderWholeCall", () => {
  it("quotes every row of the arguments and the result", () => {
    const rows = renderWholeCall(call, 80).map(plainText);
    expect(rows).toContain("│ 5");
    expect(rows.filter((row) => !row.startsWith("│"))).toEqual(["#2 math:add", "Arguments:", "Result:"]);
  });
});
