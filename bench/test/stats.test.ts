import { describe, expect, it } from "vitest";
import { compared, estimate, median, seeded, shuffled, verdict, worsening } from "../stats.mjs";

describe("the random generator and shuffle", () => {
  it("give the same numbers for the same seed, and different numbers for another seed", () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seeded(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it("put each item in each position about equally often", () => {
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

describe("median", () => {
  it.each([
    [[3], 3],
    [[1, 9], 5],
    [[9, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[100, 2, 3], 3],
  ])("of %j is %d", (values, expected) => expect(median(values)).toBe(expected));
});

describe("estimate", () => {
  it("uses the ratio of each round, not of the totals", () => {
    // In the second round, the machine was three times as slow for both contestants.
    expect(compared("ratio", [2, 6], [1, 3])).toEqual([2, 2]);
    expect(() => compared("ratio", [1, 2], [1])).toThrow("not the same rounds");
  });

  it("uses the difference of each round, or the plain value", () => {
    expect(compared("difference", [2, 6], [1, 7])).toEqual([1, -1]);
    expect(() => compared("difference", [1, 2])).toThrow("not the same rounds");
    expect(compared("value", [2, 6], [1])).toEqual([2, 6]);
  });

  it("returns the median by default, or another quantile", () => {
    const rounds = Array.from({ length: 101 }, (_, round) => round);
    expect(estimate(rounds, seeded(1)).figure).toBe(50);
    const tail = estimate(rounds, seeded(1), 0.95);
    expect(tail.figure).toBe(95);
    expect(tail.low).toBeGreaterThan(80);
    expect(tail.high).toBeLessThanOrEqual(100);
  });

  it("has an interval of zero width for equal samples, and otherwise an interval around the median", () => {
    expect(estimate([2, 2, 2, 2], seeded(1))).toEqual({ figure: 2, low: 2, high: 2 });
    const { figure, low, high } = estimate([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6], seeded(1));
    expect(figure).toBe(1.3);
    expect(low).toBeGreaterThanOrEqual(1);
    expect(low).toBeLessThan(1.3);
    expect(high).toBeGreaterThan(1.3);
    expect(high).toBeLessThanOrEqual(1.6);
  });

  it("has a narrower interval with more rounds", () => {
    const width = (rounds: number) => {
      const random = seeded(3);
      const { low, high } = estimate(Array.from({ length: rounds }, random), seeded(4));
      return high - low;
    };
    expect(width(400)).toBeLessThan(width(15) / 2);
  });
});

describe("verdict on a target", () => {
  const atMost = { limit: 1.2, better: "lower" } as const;
  const atLeast = { limit: 0.9, better: "higher" } as const;

  it.each([
    [{ low: 1, figure: 1.1, high: 1.15 }, atMost, "met"],
    [{ low: 1.2, figure: 1.2, high: 1.2 }, atMost, "met"],
    [{ low: 1.25, figure: 1.3, high: 1.4 }, atMost, "missed"],
    [{ low: 1.1, figure: 1.15, high: 1.3 }, atMost, "unclear"],
    [{ low: 0.95, figure: 1, high: 1.1 }, atLeast, "met"],
    [{ low: 0.3, figure: 0.4, high: 0.5 }, atLeast, "missed"],
    [{ low: 0.8, figure: 0.95, high: 1 }, atLeast, "unclear"],
  ] as const)("for the estimate %j and the target %j is %s", (estimate, target, expected) => {
    expect(verdict(estimate, target)).toBe(expected);
  });

  it("is undefined without a limit", () => {
    expect(verdict({ low: 1, figure: 2, high: 3 }, { better: "lower" })).toBeUndefined();
  });
});

describe("how much worse a figure is", () => {
  const sure = (figure: number) => ({ low: figure, figure, high: figure });

  it("is above zero for a worse figure, whether lower or higher is better", () => {
    expect(worsening(sure(1.2), sure(1), { better: "lower" })).toBeCloseTo(0.2);
    expect(worsening(sure(0.5), sure(1), { better: "higher" })).toBeCloseTo(1);
    expect(worsening(sure(1), sure(1.25), { better: "lower" })).toBeLessThan(0);
    expect(worsening(sure(1.25), sure(1), { better: "higher" })).toBeLessThan(0);
  });

  it("is a share of the limit for a difference", () => {
    const target = { of: "difference", better: "lower", limit: 20 } as const;
    expect(worsening(sure(3), sure(-1), target)).toBeCloseTo(0.2);
    expect(worsening(sure(0.2), sure(0.1), target)).toBeCloseTo(0.005);
    expect(worsening(sure(1.5), sure(1), { of: "difference", better: "lower" })).toBeCloseTo(0.5);
  });

  it("uses the better end of the interval for differences and values", () => {
    const wide = { low: 1, figure: 1.5, high: 2 };
    expect(worsening(wide, sure(1), { of: "value", better: "lower" })).toBeCloseTo(0);
    expect(worsening(wide, sure(1), { better: "lower" })).toBeCloseTo(0.5);
  });
});
