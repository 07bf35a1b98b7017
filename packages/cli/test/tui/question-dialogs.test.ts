import { QuestionDialogs } from "#tui/question-dialogs.js";
import type { OpenQuestion } from "#tui/session/chat-session.js";
import type { CliContext } from "#terminal/cli-context.js";
import type { Key } from "#tui/input/key-parser.js";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../helpers/scripted-host.ts";

const letter = (text: string): Key => ({ type: "text", text });

/** A dialog with a clock that the test sets. */
function openDialogs() {
  const answers: [id: string, decision: string][] = [];
  const clock = { now: 0 };
  const settled = new AbortController();
  const workspace = {
    inbox: { answer: async (id: string, { decision }: { decision: string }) => void answers.push([id, decision]) },
  };
  const screen = { columns: 80, current: undefined, draw: () => {}, print: () => {} };
  const cli = { stderr: { canRepaint: false }, env: {} } as unknown as CliContext;
  const dialogs = new QuestionDialogs(screen, cli, () => clock.now);
  const add = (id: string) => {
    const question = { type: "permission", id, server: "files", tool: "write", arguments: {}, owner: "workspace" };
    const chat = { id: "c", workspace, transcript: { chat: { title: "" } } };
    dialogs.add({ question, chat, settled: settled.signal } as unknown as OpenQuestion);
  };
  return { dialogs, add, answers, clock, settled };
}

describe("QuestionDialogs", () => {
  it("leaves keys to the input line for a moment if the user was typing there when the question appeared", async () => {
    const { dialogs, add, answers, clock } = openDialogs();
    add("q1");
    await waitUntil(() => expect(dialogs.menu).toBeDefined());
    clock.now = 399;
    expect(dialogs.press(letter("y"), true)).toBe(false);
    expect(answers).toEqual([]);
    clock.now = 400;
    expect(dialogs.press(letter("y"), true)).toBe(true);
    await waitUntil(() => expect(answers).toEqual([["q1", "once"]]));
  });

  it("takes the answer at once if the input line is empty", async () => {
    const { dialogs, add, answers } = openDialogs();
    add("q1");
    await waitUntil(() => expect(dialogs.menu).toBeDefined());
    expect(dialogs.press(letter("n"), false)).toBe(true);
    await waitUntil(() => expect(answers).toEqual([["q1", "no"]]));
  });

  it("denies the question on the screen when it is closed, and asks no other question", async () => {
    const { dialogs, add, answers } = openDialogs();
    add("q1");
    add("q2");
    await waitUntil(() => expect(dialogs.menu).toBeDefined());
    await dialogs.close();
    expect(answers).toEqual([["q1", "no"]]);
    expect(dialogs.menu).toBeUndefined();
  });

  it("closes the menu when the question is settled elsewhere", async () => {
    const { dialogs, add, answers, settled } = openDialogs();
    add("q1");
    await waitUntil(() => expect(dialogs.menu).toBeDefined());
    settled.abort();
    await waitUntil(() => expect(dialogs.menu).toBeUndefined());
    expect(answers).toEqual([]);
  });
});
