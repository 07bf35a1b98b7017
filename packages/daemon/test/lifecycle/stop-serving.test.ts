/** Tests how long a stop waits for pending requests, and for clients that read the last responses. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { stopServing } from "#http/stop-serving.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

/** A client that reads its last response when `read` is called. */
function setUp({ busy }: { busy: boolean }) {
  const clock = new ManualClock();
  const forced = new AbortController();
  const steps: string[] = [];
  const service = { busy, close: () => void steps.push("close") };
  let read = () => {};
  const finished = new Promise<void>((resolve) => (read = resolve));
  const listener = {
    stopAccepting: () => void steps.push("stop accepting"),
    rejectPending: () => void steps.push("reject pending"),
    finished: () => finished,
    disconnect: async () => void steps.push("disconnect"),
  };
  const stopped = stopServing({ listeners: [listener], services: [service] }, { clock, forced: forced.signal });
  /** Returns the steps that happen in this time. */
  const advance = async (ms: number) => {
    const before = steps.length;
    for (let passed = 0; passed < ms; passed += 20) {
      clock.advance(Math.min(20, ms - passed));
      await nextTurn();
    }
    await nextTurn();
    return steps.slice(before);
  };
  return { clock, forced, steps, service, read, stopped, advance };
}

const CLOSED = ["close", "reject pending"];

describe("stopServing", () => {
  it("waits until no request is pending and the clients have read their responses, and leaves no timer", async () => {
    const { clock, forced, steps, service, read, stopped, advance } = setUp({ busy: true });
    expect(steps).toEqual(["stop accepting"]);
    expect(await advance(1980)).toEqual([]);
    service.busy = false;
    expect(await advance(20)).toEqual(CLOSED);
    expect(await advance(480)).toEqual([]);
    read();
    await stopped;
    expect(steps.at(-1)).toBe("disconnect");
    expect(clock.pendingTimers).toBe(0);
    forced.abort();
    expect(clock.pendingTimers).toBe(0);
  });

  it("waits at most two seconds for requests and half a second for clients", async () => {
    const { clock, stopped, advance } = setUp({ busy: true });
    expect(await advance(1980)).toEqual([]);
    expect(await advance(20)).toEqual(CLOSED);
    expect(await advance(499)).toEqual([]);
    expect(await advance(1)).toEqual(["disconnect"]);
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });

  it("waits no longer for requests, and a tenth of a second for clients, when it is forced", async () => {
    const { clock, forced, stopped, advance } = setUp({ busy: true });
    expect(await advance(100)).toEqual([]);
    forced.abort();
    expect(await advance(0)).toEqual(CLOSED);
    expect(clock.pendingDelays).toEqual([500, 100]);
    expect(await advance(99)).toEqual([]);
    expect(await advance(1)).toEqual(["disconnect"]);
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves no timer if the clients read after it was forced", async () => {
    const { clock, forced, read, stopped, advance } = setUp({ busy: false });
    forced.abort();
    expect(await advance(20)).toEqual(CLOSED);
    read();
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });

  it("gives clients a tenth of a second if it is forced while they read", async () => {
    const { clock, forced, stopped, advance } = setUp({ busy: false });
    expect(await advance(300)).toEqual(CLOSED);
    forced.abort();
    expect(await advance(99)).toEqual([]);
    expect(await advance(1)).toEqual(["disconnect"]);
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });
});
