import type { ChatEvent, ChatToolResult } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { NOTHING_PRINTED, nextToPrint } from "#tui/state/print-progress.js";
import { findCall } from "#tui/state/call-entries.js";
import type { Entry } from "#tui/state/entry.js";
import { applyChatEvent, noteSent, openTranscript } from "#tui/state/transcript.js";
import { chatInfo, chatView, usage } from "../../helpers/chat-fixtures.ts";

const NOW = 1000;
const result: ChatToolResult = { type: "tool_result", callId: "c1", tool: "t", status: "ok", text: "42" };

function after(...events: readonly ChatEvent[]) {
  return events.reduce((transcript, event) => applyChatEvent(transcript, event, NOW), openTranscript(chatView(), NOW));
}

describe("applyChatEvent", () => {
  it("joins the deltas of an answer, and does not repeat it when its message is added", () => {
    const { entries } = after(
      { type: "text.delta", text: "Hel" },
      { type: "text.delta", text: "lo" },
      { type: "message.added", message: { role: "assistant", content: [{ type: "text", text: "Hello" }] } },
    );
    expect(entries).toEqual([{ type: "answer", text: "Hello", isDone: true }]);
  });

  it("shows an answer that came without deltas", () => {
    const message = { role: "assistant", content: [{ type: "text", text: "Hello" }] } as const;
    expect(after({ type: "message.added", message }).entries).toEqual([
      { type: "answer", text: "Hello", isDone: true },
    ]);
  });

  it("shows a call as server:tool with its status, duration and result", () => {
    const requested = { type: "tool.requested", callId: "c1", tool: "t", source: "math:add", args: { a: 1 } } as const;
    const started = { type: "tool.started", callId: "c1", tool: "t", source: "math:add" } as const;
    const transcript = after(requested, started);
    expect(transcript.entries).toMatchObject([{ name: "math:add", number: 1, status: "running", startedAt: NOW }]);
    const finished = { type: "tool.finished", callId: "c1", tool: "t", status: "ok", durationMs: 7, result } as const;
    expect(findCall(applyChatEvent(transcript, finished, NOW))).toMatchObject({ status: "ok", durationMs: 7, result });
  });

  it("shows the message as the user typed it, without attached content", () => {
    const sent = { id: "i1", input: { text: "sum it", resources: [{ server: "docs", uri: "file:///a" }] } };
    const message = { role: "user", content: [{ type: "text", text: "long content of the file" }] } as const;
    const transcript = [
      { type: "turn.started", input: "i1", model: "m" } as const,
      { type: "message.added", message } as const,
    ].reduce((state, event) => applyChatEvent(state, event, NOW), noteSent(openTranscript(chatView(), NOW), sent));
    expect(transcript.entries).toEqual([{ type: "user", text: "sum it @docs:file:///a" }]);
  });

  it("keeps messages in the queue until their turn starts", () => {
    const queued = { id: "i2", input: { text: "later" } };
    const waiting = after({ type: "input.queued", queued });
    expect(waiting.queue).toEqual([queued]);
    expect(applyChatEvent(waiting, { type: "turn.started", input: "i2", model: "m" }, NOW).queue).toEqual([]);
  });

  it("removes messages from the queue that were taken back, or whose turn could not begin", () => {
    const queued = ["q1", "q2", "q3"].map((id) => ({ id, input: { text: id } }));
    const { queue } = after(
      ...queued.map((one) => ({ type: "input.queued", queued: one }) as const),
      { type: "inputs.removed", inputs: ["q1"] },
      { type: "turn.finished", input: "q2", reason: "failed", usage: usage() },
    );
    expect(queue.map(({ id }) => id)).toEqual(["q3"]);
  });

  it("says why a turn ended, unless it is done", () => {
    const finished = { type: "turn.finished", input: "i", usage: usage() } as const;
    expect(after({ ...finished, reason: "done" }).entries).toEqual([]);
    expect(after({ ...finished, reason: "cancelled" }).entries).toMatchObject([{ type: "notice" }]);
  });

  it("restores the messages and the running turn of a chat that is resumed", () => {
    const call = { type: "tool_call", callId: "c1", tool: "t", args: {} } as const;
    const view = chatView({
      chat: chatInfo({ state: "running" }),
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }] },
        { role: "assistant", content: [call] },
        { role: "tool", content: [result] },
      ],
      turn: [{ type: "text.delta", text: "Answ" }],
    });
    const transcript = openTranscript(view, NOW);
    expect(transcript.entries).toMatchObject([
      { type: "user", text: "go" },
      { type: "call", status: "ok" },
      { type: "answer", text: "Answ", isDone: false },
    ]);
    expect(transcript.turn).toBeDefined();
  });
});

describe("nextToPrint", () => {
  const answer = (text: string, isDone = false): Entry => ({ type: "answer", text, isDone });

  it("prints the complete blocks of a growing answer once", () => {
    const first = nextToPrint([answer("one\n\ntw")], NOTHING_PRINTED);
    expect(first).toMatchObject({ finished: [{ text: "one\n" }], live: [{ text: "\ntw" }] });
    const last = nextToPrint([answer("one\n\ntwo", true)], first.progress);
    expect(last).toMatchObject({ finished: [{ text: "\ntwo" }], live: [], progress: { entries: 1, characters: 0 } });
  });

  it("keeps entries behind a running call on the live part of the screen", () => {
    const [running] = after({ type: "tool.requested", callId: "c1", tool: "t", args: {} }).entries;
    const { finished, live } = nextToPrint([running!, answer("later", true)], NOTHING_PRINTED);
    expect(finished).toEqual([]);
    expect(live).toHaveLength(2);
  });
});
