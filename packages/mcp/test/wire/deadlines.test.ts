import { Deadlines } from "#wire/deadlines.js";
import type { DeadlineEntry } from "#wire/deadlines.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

/** Sets a deadline with a callback, and returns a function that clears it. */
function after(deadlines: Deadlines, ms: number, onDeadline: () => void): () => void {
  const entry: DeadlineEntry = { dueAt: Infinity, onDeadline, previous: undefined, next: undefined };
  deadlines.set(entry, deadlines.now() + ms);
  return () => deadlines.set(entry, Infinity);
}

describe("Deadlines", () => {
  it("runs each deadline at its time, in order, and none that was cleared", () => {
    const plans = fc.array(
      fc.record({ ms: fc.nat(5000), startMs: fc.nat(3000), clearAfterMs: fc.option(fc.nat(8000)) }),
    );
    fc.assert(
      fc.property(plans, (planned) => {
        const clock = new ManualClock();
        const deadlines = new Deadlines(clock);
        const ran: { plan: number; at: number }[] = [];
        planned.forEach(({ ms, startMs, clearAfterMs }, plan) => {
          clock.after(startMs, () => {
            const clear = after(deadlines, ms, () => ran.push({ plan, at: clock.now() }));
            if (clearAfterMs !== null) clock.after(clearAfterMs, clear);
          });
        });
        clock.advance(20_000);
        const expected = planned.flatMap(({ ms, startMs, clearAfterMs }, plan) =>
          clearAfterMs !== null && clearAfterMs <= ms ? [] : [{ plan, at: startMs + ms }],
        );
        // A deadline that is cleared in the same millisecond in which it is due may or may not run.
        const clearedWhenDue = new Set(
          planned.flatMap(({ ms, clearAfterMs }, plan) => (clearAfterMs === ms ? [plan] : [])),
        );
        const certain = ran.filter(({ plan }) => !clearedWhenDue.has(plan));
        expect(certain.toSorted((a, b) => a.plan - b.plan)).toEqual(expected);
        expect(ran.map(({ at }) => at)).toEqual(ran.map(({ at }) => at).toSorted((a, b) => a - b));
      }),
    );
  });

  it("needs one timer for any number of deadlines", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    for (let index = 0; index < 1000; index++) after(deadlines, 60_000 - index, () => {});
    expect(clock.pendingTimers).toBe(1);
  });

  it("keeps the timer of a cleared deadline for a while, and then stops it", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    after(deadlines, 60_000, () => {})();
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1000);
    expect(clock.pendingTimers).toBe(0);
  });

  it("ignores changes of the wall clock", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    let ran = 0;
    after(deadlines, 60_000, () => (ran += 1));
    for (const shift of [10 * 60_000, -10 * 60_000]) {
      clock.shiftWallClock(shift);
      clock.advance(29_999);
      expect(ran).toBe(0);
    }
    clock.advance(2);
    expect(ran).toBe(1);
  });

  it("runs the other deadlines if one throws", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const ran: number[] = [];
    after(deadlines, 10, () => {
      throw new Error("a defect");
    });
    after(deadlines, 10, () => ran.push(10));
    after(deadlines, 20, () => ran.push(20));
    expect(() => clock.advance(10)).toThrow("a defect");
    clock.advance(10);
    expect(ran).toEqual([10, 20]);
  });

  it("runs no deadline after clear", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    after(deadlines, 10, () => expect.unreachable());
    deadlines.clear();
    clock.advance(100);
    expect(clock.pendingTimers).toBe(0);
  });

  it("moves a deadline later or earlier", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const ran: number[] = [];
    const entry: DeadlineEntry = {
      dueAt: Infinity,
      onDeadline: () => ran.push(clock.now()),
      previous: undefined,
      next: undefined,
    };
    deadlines.set(entry, 100);
    clock.advance(50);
    deadlines.set(entry, 300);
    clock.advance(200);
    expect(ran).toEqual([]);
    deadlines.set(entry, 260);
    clock.advance(100);
    expect(ran).toEqual([260]);
  });

  it("does not run a deadline if the callback of another deadline that is due at the same time clears it", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const ran: string[] = [];
    const clear = { first: () => {}, second: () => {} };
    clear.first = after(deadlines, 10, () => (ran.push("first"), clear.second()));
    clear.second = after(deadlines, 10, () => (ran.push("second"), clear.first()));
    clock.advance(10);
    expect(ran).toHaveLength(1);
  });
});
