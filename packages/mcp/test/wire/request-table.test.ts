import { RequestTable } from "#wire/request-table.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("RequestTable", () => {
  it("behaves like a map for consecutive ids, in any order of deletions", () => {
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant("add" as const) }, fc.nat(5000)), {
      maxLength: 6000,
    });
    fc.assert(
      fc.property(steps, (plan) => {
        const slots = new RequestTable<{ id: number }>();
        const map = new Map<number, { id: number }>();
        let last = 0;
        for (const step of plan) {
          if (step === "add") {
            const id = ++last;
            slots.set(id, { id });
            map.set(id, { id });
          } else {
            expect(slots.delete(step)).toBe(map.delete(step));
          }
        }
        expect(slots.size).toBe(map.size);
        expect(slots.values()).toEqual([...map.values()]);
        for (let id = 0; id <= last + 1; id++) expect(slots.get(id)).toEqual(map.get(id));
      }),
      { numRuns: 30 },
    );
  });

  it("has no entry for the id 0", () => {
    const slots = new RequestTable<{ id: number }>();
    expect([slots.delete(0), slots.size]).toEqual([false, 0]);
  });

  it("holds more entries than slots", () => {
    const slots = new RequestTable<{ id: number }>();
    for (let id = 1; id <= 10_000; id++) slots.set(id, { id });
    expect(slots.size).toBe(10_000);
    expect(slots.get(9999)).toEqual({ id: 9999 });
    slots.clear();
    expect(slots.size).toBe(0);
    expect(slots.values()).toEqual([]);
  });

  it("distinguishes a number from the string with the same digits", () => {
    const slots = new RequestTable<{ id: number }>();
    slots.set(1, { id: 1 });
    expect(slots.get("1")).toBeUndefined();
    expect(slots.get(0)).toBeUndefined();
    expect(slots.get(1.5)).toBeUndefined();
    expect(slots.get(65)).toBeUndefined();
  });

  it("returns the values in the order of their ids", () => {
    const slots = new RequestTable<{ id: number }>();
    for (let id = 1; id <= 5000; id++) {
      slots.set(id, { id });
      if (id % 1000 !== 0 && id > 3) slots.delete(id);
    }
    expect(slots.values().map(({ id }) => id)).toEqual([1, 2, 3, 1000, 2000, 3000, 4000, 5000]);
  });
});
