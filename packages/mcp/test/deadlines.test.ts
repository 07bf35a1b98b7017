import { Deadlines } from "#wire/deadlines.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ManualClock } from "./manual-clock.ts";

/** A clock that somebody sets. */
class SetClock extends ManualClock {
  shift = 0;

  override now(): number {
    return super.now() + this.shift;
  }

  steady(): number {
    return super.now();
  }
}

it("runs each at its time, in the order of time, and none that was taken back", () => {
  const plans = fc.array(fc.record({ ms: fc.nat(5000), from: fc.nat(3000), takeBackAt: fc.option(fc.nat(8000)) }));
  fc.assert(
    fc.property(plans, (planned) => {
      const clock = new ManualClock();
      const deadlines = new Deadlines(clock);
      const ran: { plan: number; at: number }[] = [];
      planned.forEach(({ ms, from, takeBackAt }, plan) => {
        clock.after(from, () => {
          const takeBack = deadlines.after(ms, () => ran.push({ plan, at: clock.now() }));
          if (takeBackAt !== null) clock.after(takeBackAt, takeBack);
        });
      });
      clock.pass(20_000);
      const kept = planned.flatMap(({ ms, from, takeBackAt }, plan) =>
        takeBackAt !== null && takeBackAt <= ms ? [] : [{ plan, at: from + ms }],
      );
      // Taken back in the very millisecond: either may come first.
      const even = new Set(planned.flatMap(({ ms, takeBackAt }, plan) => (takeBackAt === ms ? [plan] : [])));
      const certain = ran.filter(({ plan }) => !even.has(plan));
      expect(certain.toSorted((a, b) => a.plan - b.plan)).toEqual(kept);
      expect(ran.map(({ at }) => at)).toEqual(ran.map(({ at }) => at).toSorted((a, b) => a - b));
    }),
  );
});

it("needs one timer, however many there are", () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  for (let at = 0; at < 1000; at++) deadlines.after(60_000 - at, () => {});
  expect(clock.waiting).toBe(1);
});

it("leaves the timer to the next who comes, but not for long", () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  deadlines.after(60_000, () => {})();
  expect(clock.waiting).toBe(1);
  clock.pass(1000);
  expect(clock.waiting).toBe(0);
});

it("is not hurried or delayed by whoever sets the clock", () => {
  const clock = new SetClock();
  const deadlines = new Deadlines(clock);
  let ran = 0;
  deadlines.after(60_000, () => (ran += 1));
  for (const shift of [10 * 60_000, -10 * 60_000]) {
    clock.shift = shift;
    clock.pass(29_999);
    expect(ran).toBe(0);
  }
  clock.pass(2);
  expect(ran).toBe(1);
});

it("runs the others though one throws", () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const ran: number[] = [];
  deadlines.after(10, () => {
    throw new Error("a defect");
  });
  deadlines.after(10, () => ran.push(10));
  deadlines.after(20, () => ran.push(20));
  expect(() => clock.pass(10)).toThrow("a defect");
  clock.pass(10);
  expect(ran).toEqual([10, 20]);
});

it("runs nothing once it is cleared", () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  deadlines.after(10, () => expect.unreachable());
  deadlines.clear();
  clock.pass(100);
  expect(clock.waiting).toBe(0);
});
