/**
 * Estimates the cost of checking a value: one unit for each inner value, plus the length of long keys. With
 * `readsText`, adds the length of strings. Runs before every check, so it stops at its budget.
 */
import type { Json } from "@plugboard/contracts";

/** A pattern reads this many characters in the time of one cost unit. */
const CHARS_PER_UNIT = 16;

export interface CostLimits {
  readonly budget: number;
  readonly depth: number;
  /** Whether long strings cost more, because the check reads all their characters. */
  readonly readsText: boolean;
}

/** Returns Infinity beyond the budget or the depth. */
export function dataCost(value: Json | undefined, { budget, depth, readsText }: CostLimits): number {
  const left = remainingBudget(value, budget, depth, readsText);
  return left < 0 ? Infinity : budget - left;
}

export function isDeeperThan(levels: number, value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Returns the rest of the budget. Negative if the budget was exceeded. */
function remainingBudget(value: Json | undefined, budget: number, depth: number, readsText: boolean): number {
  let left = budget - 1;
  if (typeof value === "string") return readsText ? left - value.length / CHARS_PER_UNIT : left;
  if (typeof value !== "object" || value === null || left < 0) return left;
  if (depth === 0) return -1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++)
      left = remainingBudget(value[index], left, depth - 1, readsText);
    return left;
  }
  for (const key in value) {
    left = remainingBudget(value[key], left - Math.floor(key.length / CHARS_PER_UNIT), depth - 1, readsText);
    if (left < 0) break;
  }
  return left;
}
