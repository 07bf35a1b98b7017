import type { ChatEntry } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { NOTHING_PRINTED, nextToPrint } from "#tui/state/print-progress.js";
import { callEntry } from "../../helpers/chat-fixtures.ts";

describe("nextToPrint", () => {
  const answer = (text: string, isDone = false): ChatEntry => ({ type: "answer", text, isDone });

  it("prints the complete blocks of a growing answer once", () => {
    const first = nextToPrint([answer("one\n\ntw")], NOTHING_PRINTED);
    expect(first).toMatchObject({ finished: [{ text: "one\n" }], live: [{ text: "\ntw" }] });
    const last = nextToPrint([answer("one\n\ntwo", true)], first.progress);
    expect(last).toMatchObject({ finished: [{ text: "\ntwo" }], live: [], progress: { entries: 1, characters: 0 } });
  });

  it("prints the reasoning when the text begins", () => {
    const reasoning: ChatEntry = { type: "reasoning", text: "Hm", isDone: false };
    expect(nextToPrint([reasoning], NOTHING_PRINTED)).toMatchObject({ finished: [], live: [reasoning] });
    const { finished, live } = nextToPrint([reasoning, answer("Yes")], NOTHING_PRINTED);
    expect([finished, live]).toEqual([[reasoning], [answer("Yes")]]);
  });

  it("keeps entries behind a running call on the live part of the screen", () => {
    const { finished, live } = nextToPrint([callEntry({ status: "running" }), answer("later", true)], NOTHING_PRINTED);
    expect(finished).toEqual([]);
    expect(live).toHaveLength(2);
  });
});
