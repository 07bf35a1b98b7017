import { QuestionInbox } from "#inbox/question-inbox.js";
import type { Caller, HostEventData } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const front: Caller = { kind: "front", id: "owner/1" };
const terminal: Caller = { kind: "cli", id: "terminal" };

function setup() {
  const clock = new ManualClock();
  const events: HostEventData[] = [];
  let ids = 0;
  const inbox = new QuestionInbox({ clock, newId: () => `q${++ids}`, emit: (event) => void events.push(event) });
  const draft = {
    type: "permission",
    call: "c1",
    owner: front,
    requestedBy: front,
    server: "s",
    tool: "t",
    arguments: {},
  } as const;
  return { clock, inbox, ask: (signal?: AbortSignal) => inbox.askWatchers(draft, signal) };
}

describe("QuestionInbox.askWatchers", () => {
  it("resolves to unwatched if nobody watches the inbox for five seconds, and withdraws the question", async () => {
    const { clock, inbox, ask } = setup();
    const asked = ask();
    clock.advance(4999);
    expect(inbox.list(terminal)).toHaveLength(1);
    clock.advance(1);
    expect(await asked).toBe("unwatched");
    expect(inbox.list(terminal)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("lets a watcher answer a question that names the caller who needs the answer", async () => {
    const { clock, inbox, ask } = setup();
    inbox.watchers.add(terminal);
    const asked = ask();
    clock.advance(60_000);
    expect(inbox.list(terminal)).toMatchObject([{ owner: "workspace", requestedBy: front }]);
    const answer = { type: "permission", decision: "once" } as const;
    inbox.answer("q1", answer, terminal);
    expect(await asked).toEqual({ by: "answered", answer });
    expect(clock.pendingTimers).toBe(0);
  });

  it("gives a watcher that comes within these five seconds the whole time until the deadline", async () => {
    const { clock, inbox, ask } = setup();
    const asked = ask();
    clock.advance(4000);
    inbox.watchers.add(terminal);
    clock.advance(9 * 60_000);
    expect(inbox.list(terminal)).toHaveLength(1);
    clock.advance(60_000);
    expect(await asked).toEqual({ by: "deadline" });
  });

  it("waits another five seconds after the last watcher has left", async () => {
    const { clock, inbox, ask } = setup();
    const stop = inbox.watchers.add(terminal);
    const asked = ask();
    clock.advance(60_000);
    stop();
    clock.advance(5000);
    expect(await asked).toBe("unwatched");
  });

  it("keeps a question open for a minute after a user has listed the inbox", async () => {
    const { clock, inbox, ask } = setup();
    const asked = ask();
    const askedAt = clock.now();
    expect(inbox.list(terminal)).toMatchObject([{ deadline: askedAt + 5000 }]);
    clock.advance(4000);
    inbox.watchers.addListing();
    expect(inbox.watchers.present).toBe(true);
    expect(inbox.list(terminal)).toMatchObject([{ deadline: askedAt + 69_000 }]);
    clock.advance(64_999);
    expect(inbox.watchers.present).toBe(false);
    expect(inbox.list(terminal)).toHaveLength(1);
    clock.advance(1);
    expect(await asked).toBe("unwatched");
    expect(clock.pendingTimers).toBe(0);
  });

  it("lists the full deadline of the question while somebody watches", () => {
    const { clock, inbox, ask } = setup();
    inbox.watchers.add(terminal);
    inbox.watchers.addListing();
    void ask();
    expect(inbox.list(terminal)).toMatchObject([{ deadline: clock.now() + 600_000 }]);
  });

  it("withdraws the question when the caller cancels", async () => {
    const { inbox, ask } = setup();
    const cancel = new AbortController();
    const asked = ask(cancel.signal);
    cancel.abort();
    expect(await asked).toEqual({ by: "withdrawn" });
    expect(inbox.list(terminal)).toEqual([]);
  });

  it("does not let gateway clients and conversations see or answer the question", { meta: { covers: ["S19"] } }, () => {
    const { inbox, ask } = setup();
    inbox.watchers.add(terminal);
    void ask();
    const others: Caller[] = [front, { kind: "front", id: "owner/2" }, { kind: "chat", id: "c" }];
    for (const caller of others) {
      expect(inbox.list(caller)).toEqual([]);
      const answer = () => inbox.answer("q1", { type: "permission", decision: "once" }, caller);
      expect(answer).toThrow(expect.objectContaining({ code: "QUESTION_NOT_YOURS" }));
    }
  });
});

describe("InboxWatchers.waitForAnswer", () => {
  it("resolves to false at once if nobody watches the inbox", async () => {
    const { inbox } = setup();
    expect(await inbox.watchers.waitForAnswer(() => new Promise(() => {}))).toBe(false);
  });

  it("resolves to the answer, or to false when the last watcher has left", async () => {
    const { clock, inbox } = setup();
    const stop = inbox.watchers.add(terminal);
    expect(await inbox.watchers.waitForAnswer(() => Promise.resolve(true))).toBe(true);
    const waiting = inbox.watchers.waitForAnswer(() => new Promise(() => {}));
    stop();
    clock.advance(5000);
    expect(await waiting).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});
