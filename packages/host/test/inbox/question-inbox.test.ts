import { getEventListeners } from "node:events";
import { QuestionInbox } from "#inbox/question-inbox.js";
import type { QuestionDraft } from "#inbox/question-inbox.js";
import type {
  Answer,
  Caller,
  CallerKind,
  HostEventData,
  Question,
  QuestionOwner,
  Settlement,
  Clock,
} from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const ann: Caller = { kind: "cli", id: "ann" };
const bob: Caller = { kind: "cli", id: "bob" };
const once: Answer = { type: "permission", decision: "once" };
const no: Answer = { type: "permission", decision: "no", reason: "why?" };

describe("QuestionInbox", () => {
  describe("question", () => {
    it("has its own id, time and deadline", () => {
      const { inbox, events, clock } = open();
      clock.pass(5000);
      void inbox.ask(permission(ann));
      const question = { ...permission(ann), id: "q-1", askedAt: 5000, deadline: 5000 + 600_000 };
      expect(inbox.list(ann)).toEqual([question]);
      expect(events).toEqual([{ type: "question.asked", question }]);
    });

    it("is not asked if a hundred questions of the same server to the same owner are open", async () => {
      const { inbox } = open();
      for (let asked = 0; asked < 100; asked++) void inbox.ask(permission(ann));
      expect(await inbox.ask(permission(ann))).toEqual({ by: "limit" });
      void inbox.ask(permission(bob));
      expect(inbox.list(bob)).toHaveLength(1);
      inbox.answer("q-1", once, ann);
      void inbox.ask(permission(ann));
      expect(inbox.list(ann)).toHaveLength(100);
    });

    it("is not asked if the server's open sampling requests exceed the size limit", async () => {
      const { inbox } = open();
      const sampling = (owner: Caller, chars: number): QuestionDraft => ({
        type: "sampling",
        owner,
        server: "s",
        request: { messages: ["x".repeat(chars)] },
      });
      const [long, short] = [20 * 1024 * 1024, 6 * 1024 * 1024];
      void inbox.ask(sampling(ann, long));
      expect(await inbox.ask(sampling(ann, 1))).toEqual({ by: "limit" });
      void inbox.ask(permission(ann));
      inbox.answer("q-1", { type: "sampling", decision: "no" }, ann);
      for (let asked = 0; asked < 2; asked++) void inbox.ask(sampling(ann, short));
      expect(await inbox.ask(sampling(ann, short))).toEqual({ by: "limit" });
      void inbox.ask(sampling(bob, short));
      expect([inbox.list(ann), inbox.list(bob)].map(({ length }) => length)).toEqual([3, 1]);
    });

    it(
      "is not asked if a hundred questions for other requests with the same token are open",
      { meta: { covers: ["A18"] } },
      async () => {
        const { inbox } = open();
        const ask = (principal: string, request: number) =>
          inbox.ask({
            ...permission("workspace"),
            requestedBy: {
              kind: "front",
              id: `${principal}/${request}`,
              principal: { id: principal, name: "client", mayApprove: false },
            },
          });
        for (let asked = 0; asked < 100; asked++) void ask("a", asked);
        expect(await ask("a", 100)).toEqual({ by: "limit" });
        void ask("b", 0);
        expect(inbox.list(ann)).toHaveLength(101);
      },
    );

    it(
      "is asked for the owner or a new token even if other tokens use the limit of 5000, and replaces their oldest",
      { meta: { covers: ["S33", "A18"] } },
      async () => {
        const { inbox, events } = open();
        const front = (id: string): Caller => ({ kind: "front", id, principal: { id, name: id, mayApprove: false } });
        const ask = (requestedBy: Caller | undefined, server: string) =>
          inbox.ask({ ...permission("workspace"), server, ...(requestedBy && { requestedBy }) });
        for (const token of ["a", "b", "c", "d", "e"])
          for (let asked = 0; asked < 1000; asked++) void ask(front(token), `server ${asked % 10}`);
        expect(inbox.list(ann)).toHaveLength(5000);
        void ask(undefined, "files");
        void ask(front("new"), "files");
        expect(inbox.list(ann)).toHaveLength(5000);
        expect(
          inbox
            .list(ann)
            .slice(-2)
            .map(({ requestedBy }) => requestedBy?.id),
        ).toEqual([undefined, "new"]);
        expect(settlements(events)).toEqual([{ by: "limit" }, { by: "limit" }]);
        expect(await ask(front("c"), "other")).toEqual({ by: "limit" });
      },
    );

    it("is settled by the first answer, and a second answer is rejected", async () => {
      const { inbox, events } = open();
      const settled = inbox.ask(permission(ann));
      inbox.answer("q-1", once, ann);
      expect(() => inbox.answer("q-1", no, ann)).toThrow(gone("q-1"));
      expect(() => inbox.dismiss("q-1", ann)).toThrow(gone("q-1"));
      expect(await settled).toEqual({ by: "answered", answer: once });
      expect(settlements(events)).toEqual([{ by: "answered", answer: once }]);
      expect(inbox.list(ann)).toEqual([]);
    });

    it("is settled by dismissal", async () => {
      const { inbox, events } = open();
      const settled = inbox.ask(permission(ann));
      inbox.dismiss("q-1", ann);
      expect(() => inbox.answer("q-1", once, ann)).toThrow(gone("q-1"));
      expect(await settled).toEqual({ by: "dismissed" });
      expect(settlements(events)).toEqual([{ by: "dismissed" }]);
    });

    it("is settled by its deadline and not before", async () => {
      const { inbox, events, clock } = open({ deadlineMs: 100 });
      const settled = inbox.ask(permission(ann));
      clock.pass(99);
      expect(inbox.list(ann)).toHaveLength(1);
      clock.pass(1);
      expect(await settled).toEqual({ by: "deadline" });
      expect(() => inbox.answer("q-1", once, ann)).toThrow(gone("q-1"));
      expect(settlements(events)).toEqual([{ by: "deadline" }]);
    });

    it("has a deadline of ten minutes by default", async () => {
      const { inbox, clock } = open();
      const settled = inbox.ask(permission(ann));
      clock.pass(10 * 60_000 - 1);
      expect(inbox.list(ann)).toHaveLength(1);
      clock.pass(1);
      expect(await settled).toEqual({ by: "deadline" });
    });

    it("can have its own deadline", async () => {
      const { inbox, clock } = open({ deadlineMs: 100 });
      const settled = inbox.ask(permission(ann), undefined, 5000);
      expect(inbox.list(ann)).toMatchObject([{ deadline: 5000 }]);
      clock.pass(4999);
      expect(inbox.list(ann)).toHaveLength(1);
      clock.pass(1);
      expect(await settled).toEqual({ by: "deadline" });
    });

    it("is withdrawn by its signal", async () => {
      const { inbox, events } = open();
      const abort = new AbortController();
      const settled = inbox.ask(permission(ann), abort.signal);
      abort.abort();
      expect(await settled).toEqual({ by: "withdrawn" });
      expect(() => inbox.answer("q-1", once, ann)).toThrow(gone("q-1"));
      expect(settlements(events)).toEqual([{ by: "withdrawn" }]);
    });

    it("is not asked and emits no event if its signal is already aborted", async () => {
      const { inbox, events, clock } = open();
      expect(await inbox.ask(permission(ann), AbortSignal.abort())).toEqual({ by: "withdrawn" });
      expect(inbox.list(ann)).toEqual([]);
      expect(clock.waiting).toBe(0);
      const begun = events.filter(({ type }) => type === "question.asked");
      expect(settlements(events)).toHaveLength(begun.length);
    });

    it("can't be answered if its id is unknown", () => {
      expect(() => open().inbox.answer("q-9", once, ann)).toThrow(gone("q-9"));
    });

    it("stays open after an invalid answer", async () => {
      const { inbox, events } = open();
      const settled = inbox.ask({
        type: "elicitation",
        owner: ann,
        server: "files",
        elicitation: { mode: "form", message: "?", fields: [{ name: "age", type: "number", required: true }] },
      });
      const wrong: Answer = { type: "elicitation", action: "accept", content: { age: "old" } };
      expect(() => inbox.answer("q-1", wrong, ann)).toThrow(
        expect.objectContaining({
          code: "ANSWER_INVALID",
          details: { question: "q-1", reason: '"age" must be a number' },
        }),
      );
      expect(() => inbox.answer("q-1", once, ann)).toThrow(expect.objectContaining({ code: "ANSWER_INVALID" }));
      expect(inbox.list(ann)).toHaveLength(1);
      expect(settlements(events)).toEqual([]);
      const right: Answer = { type: "elicitation", action: "accept", content: { age: 7 } };
      inbox.answer("q-1", right, ann);
      expect(await settled).toEqual({ by: "answered", answer: right });
    });
  });

  describe("question of another caller", () => {
    it.each<[string, Caller]>([
      ["a caller with another id", bob],
      ["a caller of another kind with the same id", { kind: "page", id: "ann" }],
    ])("can't be listed or answered by %s", async (_, stranger) => {
      const { inbox } = open();
      const settled = inbox.ask(permission(ann));
      const notYours = expect.objectContaining({ code: "QUESTION_NOT_YOURS", details: { question: "q-1" } });
      expect(inbox.list(stranger)).toEqual([]);
      expect(() => inbox.answer("q-1", once, stranger)).toThrow(notYours);
      expect(() => inbox.dismiss("q-1", stranger)).toThrow(notYours);
      inbox.answer("q-1", no, { ...ann });
      expect(await settled).toEqual({ by: "answered", answer: no });
    });
  });

  describe("question to the workspace", () => {
    it.each<CallerKind>(["cli", "program", "page"])("can be answered by a %s caller", async (kind) => {
      const { inbox } = open();
      const settled = inbox.ask(permission("workspace"));
      expect(inbox.list({ kind, id: "any" })).toHaveLength(1);
      inbox.answer("q-1", once, { kind, id: "any" });
      expect(await settled).toMatchObject({ by: "answered" });
    });

    it.each<CallerKind>(["front", "chat"])("can't be answered by a %s caller", (kind) => {
      const { inbox } = open();
      void inbox.ask(permission("workspace"));
      expect(inbox.list({ kind, id: "any" })).toEqual([]);
      expect(() => inbox.answer("q-1", once, { kind, id: "any" })).toThrow(
        expect.objectContaining({ code: "QUESTION_NOT_YOURS" }),
      );
    });
  });

  it("lists open questions in the order they were asked", () => {
    const { inbox } = open();
    for (const owner of [ann, bob, "workspace", ann] as const) void inbox.ask(permission(owner));
    expect(inbox.list(ann).map(({ id }) => id)).toEqual(["q-1", "q-3", "q-4"]);
    inbox.dismiss("q-1", ann);
    expect(inbox.list(ann).map(({ id }) => id)).toEqual(["q-3", "q-4"]);
  });

  it("withdraws all questions when it is closed", async () => {
    const { inbox, events, clock } = open();
    const settled = [inbox.ask(permission(ann)), inbox.ask(permission("workspace"))];
    inbox.close();
    expect(await Promise.all(settled)).toEqual([{ by: "withdrawn" }, { by: "withdrawn" }]);
    expect(settlements(events)).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it("emits one `asked` and one `settled` event per question, in this order", () => {
    const happening = fc.constantFrom("answer", "wrong", "dismiss", "abort", "time", "close");
    fc.assert(
      fc.property(fc.array(happening), (happenings) => {
        const { inbox, events, clock } = open({ deadlineMs: 100 });
        const abort = new AbortController();
        void inbox.ask(permission(ann), abort.signal);
        const happen = {
          answer: () => inbox.answer("q-1", once, ann),
          wrong: () => inbox.answer("q-1", once, bob),
          dismiss: () => inbox.dismiss("q-1", ann),
          abort: () => abort.abort(),
          time: () => clock.pass(60),
          close: () => inbox.close(),
        };
        for (const name of happenings) {
          try {
            happen[name]();
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^QUESTION_(GONE|NOT_YOURS)$/) });
          }
        }
        inbox.close();
        expect(events.map(({ type }) => type)).toEqual(["question.asked", "question.settled"]);
        expect(clock.waiting).toBe(0);
        expect(getEventListeners(abort.signal, "abort")).toEqual([]);
      }),
    );
  });
});

function open(options: { deadlineMs?: number } = {}) {
  const clock = new ManualClock();
  const events: HostEventData[] = [];
  let asked = 0;
  const inbox = new QuestionInbox({
    clock,
    newId: () => `q-${++asked}`,
    emit: (event) => events.push(event),
    ...options,
  });
  return { inbox, clock, events };
}

function permission(owner: QuestionOwner): Extract<QuestionDraft, { type: "permission" }> {
  return { type: "permission", call: "c1", owner, server: "files", tool: "read", arguments: { path: "/" } };
}

function settlements(events: readonly HostEventData[]): Settlement[] {
  return events.flatMap((event) => (event.type === "question.settled" ? event.settlement : []));
}

function gone(question: Question["id"]): unknown {
  return expect.objectContaining({ code: "QUESTION_GONE", details: { question } });
}

/** A clock that advances only when the test says so. */
class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { run } of due) run();
  }

  get waiting(): number {
    return this.#timers.length;
  }
}
