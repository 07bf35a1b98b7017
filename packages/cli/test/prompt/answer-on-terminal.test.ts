/** Tests answerOnTerminal with a host whose events are late or lost. */
import { answerOnTerminal } from "#prompt/answer-on-terminal.js";
import { HostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { expect, it } from "vitest";
import { caller, startScriptedHost, waitUntil } from "../helpers/scripted-host.ts";
import type { ScriptedHostOptions } from "../helpers/scripted-host.ts";

function question(id: string): Question {
  const elicitation = { mode: "url", message: id, url: "https://example.com" } as const;
  return { type: "elicitation", id, owner: caller, server: "a", askedAt: 0, deadline: 0, elicitation };
}

const onTerminal = (options: ScriptedHostOptions) => startScriptedHost(answerOnTerminal, options);

it("answerOnTerminal reads the inbox and asks missed questions when events were lost", async () => {
  const event = { type: "catalog.changed", server: "a", tools: 1, at: 0 } as const;
  const { stdin, answered, waitForText } = onTerminal({
    events: [
      { ...event, seq: 1 },
      { ...event, seq: 7 },
    ],
    questions: [question("missed")],
  });
  await waitForText("missed");
  await waitForText("Accept?");
  stdin.write("y\r");
  await waitUntil(() => expect(answered).toHaveLength(1));
});

it("answerOnTerminal continues with the next question when one was settled elsewhere", async () => {
  const events = ["late", "next"].map((id, index) => {
    return { type: "question.asked", question: question(id), seq: index + 1, at: 0 } as const;
  });
  const rejectLate = (id: string) => {
    if (id === "late") throw new HostError("QUESTION_GONE", { question: id });
  };
  const { stdin, answered, waitForText, clear } = onTerminal({ events, onSettle: rejectLate });
  await waitForText("Accept?");
  clear();
  stdin.write("y\r");
  await waitForText("the question was already settled");
  await waitForText("Accept?");
  stdin.write("n\r");
  await waitUntil(() => expect(answered.map(([id]) => id)).toEqual(["next"]));
});

it("answerOnTerminal dismisses a question of an unknown type, and says so", async () => {
  const { id, owner, server, askedAt, deadline } = question("new");
  const unknown = { type: "riddle", id, owner, server, askedAt, deadline } as unknown as Question;
  const events = [{ type: "question.asked", question: unknown, seq: 1, at: 0 } as const];
  const { answered, dismissed, waitForText } = onTerminal({ events });
  await waitForText("a has a question (riddle) that can't be asked here. It was dismissed.");
  await waitUntil(() => expect(dismissed).toEqual(["new"]));
  expect(answered).toEqual([]);
});

it(
  "answerOnTerminal shows the sampling request, and asks whether the server may use the model",
  { meta: { covers: ["R3.94", "A7"] } },
  async () => {
    const { id, owner, server, askedAt, deadline } = question("wish");
    const request = {
      messages: [{ role: "user", content: { type: "text", text: "Say\u001b[2J hello" } }],
      maxTokens: 5,
    };
    const sampling = { type: "sampling", id, owner, server, tool: "tale", askedAt, deadline, request } as const;
    const events = [{ type: "question.asked", question: sampling, seq: 1, at: 0 } as const];
    const { stdin, answered, waitForText } = onTerminal({ events });
    await waitForText("a:tale asks to use the model for this request:");
    await waitForText("Say\\u001b[2J hello");
    await waitForText("Let a:tale use the model for this? y / n: ");
    stdin.write("n\r");
    await waitUntil(() => expect(answered).toEqual([["wish", { type: "sampling", decision: "no" }]]));
  },
);

it('answerOnTerminal does not offer "always" for a tool without a pin', async () => {
  const { id, owner, server, askedAt, deadline } = question("may");
  const about = { type: "permission", id, call: "c1", owner, server, tool: "go", arguments: {} } as const;
  const permission = { ...about, askedAt, deadline };
  const events = [{ type: "question.asked", question: permission, seq: 1, at: 0 } as const];
  const { stdin, answered, waitForText, clear } = onTerminal({ events });
  await waitForText("Allow a:go? y = once, n [reason]: ");
  clear();
  stdin.write("a\r");
  await waitForText("a is not an answer here.");
  await waitForText("Allow a:go? y = once, n [reason]: ");
  stdin.write("once\r");
  await waitUntil(() => expect(answered).toEqual([["may", { type: "permission", decision: "once" }]]));
});
