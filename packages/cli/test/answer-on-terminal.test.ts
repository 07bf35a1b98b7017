/** What the terminal makes of a host whose facts come late, with gaps, or not at all. */
import { PassThrough } from "node:stream";
import { answerOnTerminal } from "#prompt/answer-on-terminal.js";
import type { Asking } from "#prompt/answer-on-terminal.js";
import { HostError } from "@plugboard/contracts";
import type { Answer, HostApi, HostEvent, Question, Workspace } from "@plugboard/contracts";
import { expect, it, vi } from "vitest";

const caller = { kind: "cli", id: "me" } as const;

function question(id: string): Question {
  const elicitation = { mode: "url", message: id, url: "https://example.com" } as const;
  return { type: "elicitation", id, owner: caller, server: "a", askedAt: 0, deadline: 0, elicitation };
}

function scene(facts: readonly HostEvent[], waiting: readonly Question[], answer: (id: string) => void = () => {}) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  let screen = "";
  stderr.on("data", (chunk: Buffer) => (screen += chunk.toString()));
  const answered: [string, Answer][] = [];
  const api = {
    caller,
    async *events(_after: number, signal: AbortSignal) {
      yield* facts;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as HostApi;
  const inbox = {
    list: async () => [...waiting],
    answer: async (id: string, given: Answer) => {
      answer(id);
      answered.push([id, given]);
    },
    dismiss: async (id: string) => answer(id),
  };
  const surroundings = { stdin, stderr } as unknown as Asking["surroundings"];
  const interruption = { signal: new AbortController().signal } as Asking["interruption"];
  const workspace = { inbox } as unknown as Workspace;
  const snapshot = { seq: 0, servers: [], questions: [] };
  const prompting = answerOnTerminal({ api, workspace, snapshot, surroundings, interruption });
  const seen = (text: string) => vi.waitFor(() => expect(screen).toContain(text));
  return { stdin, prompting, answered, seen, clear: () => (screen = "") };
}

it("asks what it was not told of, when the numbers show that it missed something", async () => {
  const fact = { type: "catalog.changed", server: "a", tools: 1, at: 0 } as const;
  const { stdin, answered, seen, prompting } = scene(
    [
      { ...fact, seq: 1 },
      { ...fact, seq: 7 },
    ],
    [question("missed")],
  );
  await seen("missed");
  await seen("Agree?");
  stdin.write("y\r");
  await vi.waitFor(() => expect(answered).toHaveLength(1));
  await prompting.stop();
});

it("goes on with the next question when one was settled meanwhile", async () => {
  const facts = ["late", "next"].map((id, at) => {
    return { type: "question.asked", question: question(id), seq: at + 1, at: 0 } as const;
  });
  const gone = (id: string) => {
    if (id === "late") throw new HostError("QUESTION_GONE", { question: id });
  };
  const { stdin, answered, seen, clear, prompting } = scene(facts, [], gone);
  await seen("Agree?");
  clear();
  stdin.write("y\r");
  await seen("the question was settled meanwhile");
  await seen("Agree?");
  stdin.write("n\r");
  await vi.waitFor(() => expect(answered.map(([id]) => id)).toEqual(["next"]));
  await prompting.stop();
});

it("dismisses a question that it can't put, and says so", async () => {
  const { id, owner, server, askedAt, deadline } = question("login");
  const login = { type: "login", reason: "first", id, owner, server, askedAt, deadline } as const;
  const dismissed: string[] = [];
  const facts = [{ type: "question.asked", question: login, seq: 1, at: 0 } as const];
  const { answered, seen, prompting } = scene(facts, [], (gone) => void dismissed.push(gone));
  await seen("a has a question (login) that can't be asked here; it is dismissed.");
  await vi.waitFor(() => expect(dismissed).toEqual(["login"]));
  expect(answered).toEqual([]);
  await prompting.stop();
});

it("[R3.94, A7] asks whether a server may use the model, and shows what for", async () => {
  const { id, owner, server, askedAt, deadline } = question("wish");
  const request = { messages: [{ role: "user", content: { type: "text", text: "Say\u001b[2J hello" } }], maxTokens: 5 };
  const wish = { type: "sampling", id, owner, server, tool: "tale", askedAt, deadline, request } as const;
  const facts = [{ type: "question.asked", question: wish, seq: 1, at: 0 } as const];
  const { stdin, answered, seen, prompting } = scene(facts, []);
  await seen("a:tale wants a text of the model for:");
  await seen("Say\\u001b[2J hello");
  await seen("Let it use the model for this? y / n: ");
  stdin.write("n\r");
  await vi.waitFor(() => expect(answered).toEqual([["wish", { type: "sampling", decision: "no" }]]));
  await prompting.stop();
});

it("offers no permission for good where it is not known what the tool is", async () => {
  const { id, owner, server, askedAt, deadline } = question("may");
  const may = { type: "permission", id, owner, server, tool: "go", arguments: {}, askedAt, deadline } as const;
  const facts = [{ type: "question.asked", question: may, seq: 1, at: 0 } as const];
  const { stdin, answered, seen, clear, prompting } = scene(facts, []);
  await seen("Allow this call? y = once, n [reason]: ");
  clear();
  stdin.write("a\r");
  await seen("Allow this call? y = once, n [reason]: ");
  stdin.write("y\r");
  await vi.waitFor(() => expect(answered).toEqual([["may", { type: "permission", decision: "once" }]]));
  await prompting.stop();
});
