import { toAskAnswer } from "#calls/ask-user.js";
import { runToCompletion } from "#calls/run-to-completion.js";
import { HostError } from "@plugboard/contracts";
import type { Settlement, CancelSignal } from "@plugboard/contracts";
import type { Ask, AskAnswer, Outcome, Suspended } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const complete: Outcome = { type: "complete", result: { content: [] } };
const name = askFor("Name?");
const age = askFor("Age?");
const accepted = (who: string): AskAnswer => ({ action: "accept", content: { who } });

describe("runToCompletion of a final outcome", () => {
  it.each<[string, Outcome]>([
    ["returns a result unchanged", complete],
    ["returns a failure unchanged", { type: "failed", error: new HostError("HOST_CLOSED", {}) }],
  ])("%s", async (_, outcome) => {
    expect(await runToCompletion(outcome, { ask: nobody })).toBe(outcome);
  });
});

it("runToCompletion follows a task to its end, and answers its questions", async () => {
  const call = suspended({ n: name }, complete);
  const task: Outcome = {
    type: "task",
    task: { taskId: "t" },
    follow: async () => call.outcome,
    cancel: async () => {},
  };
  expect(await runToCompletion(task, { ask: async () => accepted("Ann") })).toBe(complete);
  expect(call.resumed).toEqual([{ n: { action: "accept", content: { who: "Ann" } } }]);
});

describe("outcome with questions, given to runToCompletion", () => {
  it("is resumed with one answer per key", async () => {
    const call = suspended({ n: name, a: age }, complete);
    const ended = await runToCompletion(call.outcome, {
      ask: async (ask) => (ask === name ? accepted("Ann") : { action: "decline" }),
    });
    expect(ended).toBe(complete);
    expect(call.resumed).toEqual([{ n: { action: "accept", content: { who: "Ann" } }, a: { action: "decline" } }]);
    expect(call.abandoned).toEqual([]);
  });

  it("has all its questions asked at once", async () => {
    const open: ((answer: AskAnswer) => void)[] = [];
    const { outcome } = suspended({ n: name, a: age }, complete);
    const driven = runToCompletion(outcome, { ask: () => new Promise((resolve) => open.push(resolve)) });
    await settled();
    expect(open).toHaveLength(2);
    for (const answer of open.toReversed()) answer(accepted("Ann"));
    expect(await driven).toBe(complete);
  });

  it("is resumed again if it asks again", async () => {
    const last = suspended({ n: name }, complete);
    const first = suspended({ n: age }, suspended({}, last.outcome).outcome);
    const asked: Ask[] = [];
    const ended = await runToCompletion(first.outcome, {
      ask: async (ask) => {
        asked.push(ask);
        return accepted("Ann");
      },
    });
    expect(ended).toBe(complete);
    expect(asked).toEqual([age, name]);
  });

  it("is resumed with the caller's signal", async () => {
    const { signal } = new AbortController();
    const call = suspended({ n: name }, complete);
    await runToCompletion(call.outcome, { signal, ask: async () => accepted("Ann") });
    expect(call.signals).toEqual([signal]);
  });

  it("is abandoned when the caller cancels, and its questions are withdrawn", async () => {
    const abort = new AbortController();
    const call = suspended({ n: name }, complete);
    const driven = runToCompletion(call.outcome, { signal: abort.signal, ask: (_, gone) => whenGone(gone) });
    await settled();
    abort.abort();
    expect(await driven).toMatchObject({ type: "failed", error: { code: "CANCELLED" } });
    expect(call.abandoned).toEqual(["the caller cancelled the request"]);
    expect(call.resumed).toEqual([]);
  });

  it("is abandoned when the caller cancels at the moment the answer arrives", async () => {
    const abort = new AbortController();
    const call = suspended({ n: name }, complete);
    const ended = await runToCompletion(call.outcome, {
      signal: abort.signal,
      ask: async () => {
        abort.abort();
        return accepted("Ann");
      },
    });
    expect(ended).toMatchObject({ type: "failed", error: { code: "CANCELLED" } });
    expect(call.resumed).toEqual([]);
  });

  it("loses only the question that the server withdraws, and is resumed with the other answers", async () => {
    const withdrawn = new AbortController();
    const call = suspended({ n: { ...name, withdrawn: withdrawn.signal }, a: age }, complete);
    const ended = runToCompletion(call.outcome, {
      ask: (ask, signal) =>
        ask === age
          ? Promise.resolve(accepted("Ann"))
          : new Promise((resolve) => signal.addEventListener("abort", () => resolve({ action: "cancel" }))),
    });
    await settled();
    expect(call.resumed).toEqual([]);
    withdrawn.abort();
    expect(await ended).toBe(complete);
    expect(call.resumed).toEqual([{ n: { action: "cancel" }, a: { action: "accept", content: { who: "Ann" } } }]);
  });

  it("has its questions withdrawn when it becomes obsolete, and is resumed to get the newer outcome", async () => {
    const overtaken = new AbortController();
    const call = suspended({ n: name }, complete, overtaken.signal);
    const driven = runToCompletion(call.outcome, {
      signal: new AbortController().signal,
      ask: (_, gone) => whenGone(gone),
    });
    await settled();
    overtaken.abort();
    expect(await driven).toBe(complete);
    expect(call.resumed).toEqual([{ n: { action: "cancel" } }]);
    expect(call.abandoned).toEqual([]);
  });
});

describe("toAskAnswer", () => {
  it.each<[string, Settlement, AskAnswer]>([
    [
      "returns the content of an accepted question",
      { by: "answered", answer: { type: "elicitation", action: "accept", content: { who: "Ann" } } },
      { action: "accept", content: { who: "Ann" } },
    ],
    [
      "returns `decline` for a declined question",
      { by: "answered", answer: { type: "elicitation", action: "decline" } },
      { action: "decline" },
    ],
    [
      "returns `cancel` for a cancelled question",
      { by: "answered", answer: { type: "elicitation", action: "cancel" } },
      { action: "cancel" },
    ],
    ["returns `cancel` for a dismissed question", { by: "dismissed" }, { action: "cancel" }],
    ["returns `cancel` for an expired question", { by: "deadline" }, { action: "cancel" }],
    ["returns `cancel` for a withdrawn question", { by: "withdrawn" }, { action: "cancel" }],
    [
      "returns `cancel` for an answer of another type",
      { by: "answered", answer: { type: "permission", decision: "once" } },
      { action: "cancel" },
    ],
  ])("%s", (_, settlement, answer) => {
    expect(toAskAnswer(settlement)).toStrictEqual(answer);
  });
});

/** A suspended call that records how it was resumed or abandoned. */
function suspended(asks: Suspended["asks"], next: Outcome, obsolete = new AbortController().signal) {
  const resumed: { readonly [key: string]: AskAnswer }[] = [];
  const signals: (CancelSignal | undefined)[] = [];
  const abandoned: string[] = [];
  const outcome: Suspended = {
    type: "asks",
    asks,
    obsolete,
    resume: async (answers, { signal }) => {
      resumed.push(answers);
      signals.push(signal);
      return next;
    },
    abandon: (reason) => void abandoned.push(reason),
  };
  return { outcome, resumed, signals, abandoned };
}

function askFor(message: string): Ask {
  return { type: "elicitation", elicitation: { mode: "form", message, fields: [] }, rawParams: { message } };
}

/** Resolves to `cancel` when the signal aborts. */
function whenGone(gone: AbortSignal): Promise<AskAnswer> {
  return new Promise((resolve) => gone.addEventListener("abort", () => resolve({ action: "cancel" }), { once: true }));
}

async function nobody(): Promise<AskAnswer> {
  throw new Error("nobody is to be asked");
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
