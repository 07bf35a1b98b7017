/** Counts tokens and cost. Pure. */
import type { ChatUsage } from "@plugboard/contracts";

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** By default the price of input. */
  readonly cacheRead?: number;
  /** By default the price of input. */
  readonly cacheWrite?: number;
}

export const NO_USAGE: ChatUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
};

export function addUsage(a: ChatUsage, b: ChatUsage): ChatUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...(a.cost !== undefined && b.cost !== undefined && { cost: a.cost + b.cost }),
  };
}

/** Adds the cost to the usage of a request. Leaves a cost that the provider has reported. */
export function withCost(usage: ChatUsage, price: Price | undefined): ChatUsage {
  if (usage.cost !== undefined || price === undefined) return usage;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const plainTokens = usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens;
  const millionths =
    plainTokens * input +
    usage.cacheReadTokens * cacheRead +
    usage.cacheWriteTokens * cacheWrite +
    usage.outputTokens * output;
  return { ...usage, cost: millionths / 1_000_000 };
}
