import { describe, expect, it } from "vitest";
import { estimate, median, ratios, seeded, shuffled, verdict, worsening } from "../stats.mjs";

describe("chance", () => {
  it("is the same for the same seed, and another for another", () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seeded(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it("puts each in every place about equally often", () => {
    const random = seeded(1);
    const first = { a: 0, b: 0, c: 0 };
    for (let round = 0; round < 3000; round++) {
      const order = shuffled(["a", "b", "c"] as const, random);
      expect(order.toSorted()).toEqual(["a", "b", "c"]);
      first[order[0]!] += 1;
    }
    for (const times of Object.values(first)) expect(times).toBeGreaterThan(900);
  });
});

describe("the median", () => {
  it.each([
    [[3], 3],
    [[1, 9], 5],
    [[9, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[100, 2, 3], 3],
  ])("of %j is %d", (values, expected) => expect(median(values)).toBe(expected));
});

describe("an estimate", () => {
  it("takes the ratio of each round, not of the whole", () => {
    // The machine was three times as slow in the second round, for both.
    expect(ratios([2, 6], [1, 3])).toEqual([2, 2]);
    expect(() => ratios([1, 2], [1])).toThrow("not the same rounds");
  });

  it("has no width where nothing varies, and the median inside where something does", () => {
    expect(estimate([2, 2, 2, 2], seeded(1))).toEqual({ median: 2, low: 2, high: 2 });
    const { median, low, high } = estimate([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6], seeded(1));
    expect(median).toBe(1.3);
    expect(low).toBeGreaterThanOrEqual(1);
    expect(low).toBeLessThan(1.3);
    expect(high).toBeGreaterThan(1.3);
    expect(high).toBeLessThanOrEqual(1.6);
  });

  it("grows narrower with more rounds", () => {
    const width = (rounds: number) => {
      const random = seeded(3);
      const { low, high } = estimate(Array.from({ length: rounds }, random), seeded(4));
      return high - low;
    };
    expect(width(400)).toBeLessThan(width(15) / 2);
  });
});

describe("a target", () => {
  const atMost = { limit: 1.2, better: "lower" } as const;
  const atLeast = { limit: 0.9, better: "higher" } as const;

  it.each([
    [{ low: 1, median: 1.1, high: 1.15 }, atMost, "met"],
    [{ low: 1.2, median: 1.2, high: 1.2 }, atMost, "met"],
    [{ low: 1.25, median: 1.3, high: 1.4 }, atMost, "missed"],
    [{ low: 1.1, median: 1.15, high: 1.3 }, atMost, "unclear"],
    [{ low: 0.95, median: 1, high: 1.1 }, atLeast, "met"],
    [{ low: 0.3, median: 0.4, high: 0.5 }, atLeast, "missed"],
    [{ low: 0.8, median: 0.95, high: 1 }, atLeast, "unclear"],
  ] as const)("judges %j by %j: %s", (estimate, target, expected) => {
    expect(verdict(estimate, target)).toBe(expected);
  });
});

it("counts what is worse above zero, whichever way is better", () => {
  expect(worsening(1.2, 1, "lower")).toBeCloseTo(0.2);
  expect(worsening(0.5, 1, "higher")).toBeCloseTo(1);
  expect(worsening(1, 1.25, "lower")).toBeLessThan(0);
  expect(worsening(1.25, 1, "higher")).toBeLessThan(0);
});
