/** When a server's tools are listed, with a scripted session and a manual clock. */
import { ToolList } from "#catalog/tool-list.js";
import type { JsonObject } from "@plugboard/contracts";
import type { Outcome, Session } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann } from "../helpers/connect.ts";
import { ManualClock } from "../helpers/manual-clock.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The session answers a listing only when the test calls `answer`, with one tool of that name. */
function played() {
  const clock = new ManualClock();
  const asked: ((outcome: Outcome) => void)[] = [];
  const onChanged = vi.fn<() => void>();
  let change = () => {};
  const stop = vi.fn<() => void>(() => (change = () => {}));
  const session = {
    serverInfo: { capabilities: { tools: true, listChanged: { tools: true } } },
    unusableReason: () => undefined,
    request: () => new Promise<Outcome>((resolve) => asked.push(resolve)),
    listen: (_: unknown, on: () => void) => ((change = on), { stop }),
  } as unknown as Session;
  const context = () => ({ caller: ann, timeoutMs: 1000, maxMs: 1000, elicitation: false });
  const list = new ToolList({ server: "tested", clock, context, onChanged });
  return {
    clock,
    list,
    onChanged,
    stop,
    listed: () => asked.length,
    change: () => change(),
    async answer(name: string, more: JsonObject = {}) {
      asked.at(-1)!({ type: "complete", result: { tools: [{ name }], ...more } });
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
    const at = played();
    const opened = at.open("a");
    at.change();
    await opened;
    expect(at.listed()).toBe(2);
    await at.answer("b");
    expect(at.names()).toEqual(["b"]);
    expect(at.onChanged).toHaveBeenCalledOnce();
  });

  it("lists once more after any number of changes during a listing", { meta: { covers: ["F19"] } }, async () => {
    const at = played();
    await at.open("a");
    for (let n = 0; n < 50_000; n++) at.change();
    expect(at.listed()).toBe(2);
    for (let n = 0; n < 50_000; n++) at.change();
    await at.answer("b");
    expect(at.listed()).toBe(2);
    expect(at.clock.pendingTimers).toBe(1);
    at.clock.advance(250);
    await settle();
    expect(at.listed()).toBe(3);
    await at.answer("c");
    at.clock.advance(60_000);
    await settle();
    expect(at.listed()).toBe(3);
    expect(at.names()).toEqual(["c"]);
    expect(at.onChanged).toHaveBeenCalledTimes(2);
  });

  it(
    "pauses between listings if the server reports a change after each of them",
    { meta: { covers: ["F19"] } },
    async () => {
      const at = played();
      await at.open("a");
      at.change();
      for (let n = 0; n < 10; n++) {
        expect(at.listed()).toBe(n + 2);
        at.change();
        await at.answer(`b${n}`);
        expect(at.listed()).toBe(n + 2);
        at.clock.advance(250);
        await settle();
      }
    },
  );

  it("pauses longer if a listing takes longer", async () => {
    const at = played();
    await at.open("a");
    at.change();
    at.clock.advance(1000);
    at.change();
    await at.answer("b");
    at.clock.advance(3999);
    await settle();
    expect(at.listed()).toBe(2);
    at.clock.advance(1);
    await settle();
    expect(at.listed()).toBe(3);
  });

  it("reports no change if the new list is the same", async () => {
    const at = played();
    await at.open("a");
    const before = at.list.last;
    at.change();
    await at.answer("a");
    expect(at.list.last).toBe(before);
    expect(at.onChanged).not.toHaveBeenCalled();
  });

  it("keeps the last list if listing again fails", async () => {
    const at = played();
    await at.open("a");
    at.change();
    await at.answer("b", { tools: "none" });
    expect(at.names()).toEqual(["a"]);
    at.change();
    await at.answer("c");
    expect(at.names()).toEqual(["c"]);
  });

  it("lists an expired list again when it is used, but not when it is only read", async () => {
    const at = played();
    await at.open("a", { ttlMs: 1000 });
    at.clock.advance(999);
    at.list.get();
    at.clock.advance(100_000);
    expect(at.names()).toEqual(["a"]);
    expect(at.listed()).toBe(1);
    for (let n = 0; n < 5; n++) at.list.get();
    expect(at.listed()).toBe(2);
    await at.answer("b", { ttlMs: 0 });
    for (let n = 0; n < 5; n++) at.list.get();
    expect(at.listed()).toBe(2);
    at.clock.advance(250);
    await settle();
    expect(at.listed()).toBe(2);
    at.list.get();
    expect(at.listed()).toBe(3);
  });

  it("stops listening and listing when the session ends", async () => {
    const at = played();
    await at.open("a");
    at.change();
    await at.answer("b");
    at.change();
    at.list.sessionClosed();
    await settle();
    expect(at.clock.pendingTimers).toBe(0);
    expect(at.stop).toHaveBeenCalledOnce();
    expect(at.listed()).toBe(2);
    await at.open("c");
    at.change();
    at.list.sessionClosed();
    await at.answer("of a session that is over");
    expect(at.names()).toEqual(["c"]);
    await at.open("d");
    expect(at.names()).toEqual(["d"]);
    at.list.get();
    expect(at.listed()).toBe(5);
  });
});
