/** When a server's tools are listed, with a session that the test plays and a clock that it moves. */
import { ToolList } from "#catalog/tool-list.js";
import type { JsonObject } from "@plugboard/contracts";
import type { Outcome, Session } from "@plugboard/mcp";
import { expect, it, vi } from "vitest";
import { ann } from "../helpers/connect.ts";
import { ManualClock } from "../helpers/manual-clock.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Answers when it is told to, with a tool that is named by `name`. */
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

it(
  "is listed once more after all changes that were told while it was listed",
  { meta: { covers: ["F19"] } },
  async () => {
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
  },
);

it(
  "is not listed without end for a server that says with every list that it changed",
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

it("is listed the less often the longer that takes", async () => {
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

it("is nobody's news if it is the same as before", async () => {
  const at = played();
  await at.open("a");
  const before = at.list.last;
  at.change();
  await at.answer("a");
  expect(at.list.last).toBe(before);
  expect(at.onChanged).not.toHaveBeenCalled();
});

it("stays as it was if it can't be listed again", async () => {
  const at = played();
  await at.open("a");
  at.change();
  await at.answer("b", { tools: "none" });
  expect(at.names()).toEqual(["a"]);
  at.change();
  await at.answer("c");
  expect(at.names()).toEqual(["c"]);
});

it("is listed by using it if it has grown too old, not more often than that, nor by looking at it", async () => {
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

it("leaves nothing behind when its session ends, be it while it is listed or before it is again", async () => {
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
