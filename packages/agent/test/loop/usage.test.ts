/** Tests the counts of tokens and the cost. */
import { totalTokens } from "@plugboard/contracts";
import { addUsage, NO_USAGE, withCost } from "#loop/usage.js";
import { describe, expect, it } from "vitest";

const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 300, cacheWriteTokens: 200 };

describe("addUsage", () => {
  it("adds each count, and the cost if both are known", () => {
    expect(NO_USAGE).toEqual({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 });
    expect(addUsage({ ...usage, cost: 1 }, { ...usage, cost: 2 })).toEqual({
      inputTokens: 2000,
      outputTokens: 200,
      cacheReadTokens: 600,
      cacheWriteTokens: 400,
      cost: 3,
    });
    expect(addUsage(usage, { ...usage, cost: 2 })).not.toHaveProperty("cost");
    expect(addUsage({ ...usage, cost: 2 }, usage)).not.toHaveProperty("cost");
  });
});

it("totalTokens counts input and output", () => {
  expect(totalTokens(usage)).toBe(1100);
});

describe("withCost", () => {
  it("counts each kind of token with its price per million", () => {
    const price = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };
    expect(withCost(usage, price)).toEqual({ ...usage, cost: (500 * 10 + 300 + 200 * 20 + 100 * 100) / 1_000_000 });
  });

  it("counts the cache as input if it has no price", () => {
    expect(withCost(usage, { input: 10, output: 0 }).cost).toBeCloseTo(0.01, 10);
  });

  it("keeps a reported cost, and adds none if the price is unknown", () => {
    expect(withCost({ ...usage, cost: 7 }, { input: 1, output: 1 }).cost).toBe(7);
    expect(withCost(usage, undefined)).toBe(usage);
  });
});
