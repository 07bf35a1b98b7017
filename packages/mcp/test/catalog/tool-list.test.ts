/** Tests when a server's tools are listed, with a scripted session and a manual clock. */
import { ToolList } from "#catalog/tool-list.js";
import type { JsonObject } from "@plugboard/contracts";
import type { Outcome, Session } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The session answers a listing only when the test calls `answer`, with one tool of the given name. */
function makeToolList() {
  const clock = new ManualClock();
  const listings: ((outcome: Outcome) => void)[] = [];
  const onChanged = vi.fn<() => void>();
  let change = () => {};
  const stop = vi.fn<() => void>(() => (change = () => {}));
  const session = {
    serverInfo: { capabilities: { tools: true, listChanged: { tools: true } } },
    unusableReason: () => undefined,
    request: () => new Promise<Outcome>((resolve) => listings.push(resolve)),
    listen: (_: unknown, on: () => void) => ((change = on), { stop }),
  } as unknown as Session;
  const context = () => ({ caller: ann, timeoutMs: 1000, maxMs: 1000, elicitation: false });
  const list = new ToolList({ server: "tested", clock, context, onChanged });
  return {
    clock,
    list,
    onChanged,
    stop,
    listCount: () => listings.length,
    change: () => change(),
    async answer(name: string, more: JsonObject = {}) {
      listings.at(-1)!({ type: "complete", result: { tools: [{ name }], ...more } });
      await settle();
    },
    async open(name: string, more: JsonObject = {}) {
      const opened = list.sessionOpened(session, AbortSignal.timeout(5000));
      await this.answer(name, more);
      await opened;
    },
    names: () => list.last.tools.map(({ name }) => name),
  };
}

describe("ToolList", () => {
  it("lists the tools again after a change during the first listing", async () => {
    const fixture = makeToolList();
    const opened = fixture.open("a");
    fixture.change();
    await opened;
    expect(fixture.listCount()).toBe(2);
    await fixture.answer("b");
    expect(fixture.names()).toEqual(["b"]);
    expect(fixture.onChanged).toHaveBeenCalledOnce();
  });

  it("lists once more after any number of changes during a listing", { meta: { covers: ["F19"] } }, async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    for (let n = 0; n < 50_000; n++) fixture.change();
    expect(fixture.listCount()).toBe(2);
    for (let n = 0; n < 50_000; n++) fixture.change();
    await fixture.answer("b");
    expect(fixture.listCount()).toBe(2);
    expect(fixture.clock.pendingTimers).toBe(1);
    fixture.clock.advance(250);
    await settle();
    expect(fixture.listCount()).toBe(3);
    await fixture.answer("c");
    fixture.clock.advance(60_000);
    await settle();
    expect(fixture.listCount()).toBe(3);
    expect(fixture.names()).toEqual(["c"]);
    expect(fixture.onChanged).toHaveBeenCalledTimes(2);
  });

  it(
    "pauses between listings if the server reports a change after each of them",
    { meta: { covers: ["F19"] } },
    async () => {
      const fixture = makeToolList();
      await fixture.open("a");
      fixture.change();
      for (let n = 0; n < 10; n++) {
        expect(fixture.listCount()).toBe(n + 2);
        fixture.change();
        await fixture.answer(`b${n}`);
        expect(fixture.listCount()).toBe(n + 2);
        fixture.clock.advance(250);
        await settle();
      }
    },
  );

  it("pauses longer if a listing takes longer", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    fixture.change();
    fixture.clock.advance(1000);
    fixture.change();
    await fixture.answer("b");
    fixture.clock.advance(3999);
    await settle();
    expect(fixture.listCount()).toBe(2);
    fixture.clock.advance(1);
    await settle();
    expect(fixture.listCount()).toBe(3);
  });

  it("reports no change if the new list is the same", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    const before = fixture.list.last;
    fixture.change();
    await fixture.answer("a");
    expect(fixture.list.last).toBe(before);
    expect(fixture.onChanged).not.toHaveBeenCalled();
  });

  it("keeps the last list if listing again fails", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    fixture.change();
    await fixture.answer("b", { tools: "none" });
    expect(fixture.names()).toEqual(["a"]);
    fixture.change();
    await fixture.answer("c");
    expect(fixture.names()).toEqual(["c"]);
  });

  it("lists the tools again when `get` is called after the list has expired, but not when `last` is read", async () => {
    const fixture = makeToolList();
    await fixture.open("a", { ttlMs: 1000 });
    fixture.clock.advance(999);
    fixture.list.get();
    fixture.clock.advance(100_000);
    expect(fixture.names()).toEqual(["a"]);
    expect(fixture.listCount()).toBe(1);
    for (let n = 0; n < 5; n++) fixture.list.get();
    expect(fixture.listCount()).toBe(2);
    await fixture.answer("b", { ttlMs: 0 });
    for (let n = 0; n < 5; n++) fixture.list.get();
    expect(fixture.listCount()).toBe(2);
    fixture.clock.advance(250);
    await settle();
    expect(fixture.listCount()).toBe(2);
    fixture.list.get();
    expect(fixture.listCount()).toBe(3);
  });

  it("update waits for the listing that a change has started, and the change is reported once", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    fixture.change();
    let isUpdated = false;
    const updated = fixture.list.update().then(() => (isUpdated = true));
    await settle();
    expect(isUpdated).toBe(false);
    await fixture.answer("b");
    await updated;
    expect(fixture.names()).toEqual(["b"]);
    expect(fixture.listCount()).toBe(2);
    expect(fixture.onChanged).toHaveBeenCalledOnce();
  });

  it("update lists the tools at once, even in the pause after a listing", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    fixture.change();
    await fixture.answer("b");
    fixture.change();
    const updated = fixture.list.update();
    await fixture.answer("c");
    await updated;
    expect(fixture.names()).toEqual(["c"]);
    expect(fixture.onChanged).toHaveBeenCalledTimes(2);
    fixture.clock.advance(250);
    await settle();
    expect(fixture.listCount()).toBe(3);
  });

  it("update sends no request if the list is current, and keeps the last list if listing fails", async () => {
    const fixture = makeToolList();
    await fixture.list.update();
    await fixture.open("a");
    await fixture.list.update();
    expect(fixture.listCount()).toBe(1);
    fixture.change();
    const updated = fixture.list.update();
    await fixture.answer("b", { tools: "none" });
    await updated;
    expect(fixture.names()).toEqual(["a"]);
  });

  it("stops listening and listing when the session ends", async () => {
    const fixture = makeToolList();
    await fixture.open("a");
    fixture.change();
    await fixture.answer("b");
    fixture.change();
    fixture.list.sessionClosed();
    await settle();
    expect(fixture.clock.pendingTimers).toBe(0);
    expect(fixture.stop).toHaveBeenCalledOnce();
    expect(fixture.listCount()).toBe(2);
    await fixture.open("c");
    fixture.change();
    fixture.list.sessionClosed();
    await fixture.answer("of a session that is over");
    expect(fixture.names()).toEqual(["c"]);
    await fixture.open("d");
    expect(fixture.names()).toEqual(["d"]);
    fixture.list.get();
    expect(fixture.listCount()).toBe(5);
  });
});
