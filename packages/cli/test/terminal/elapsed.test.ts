/** Tests how durations are described. */
import { describeDuration, withElapsed } from "#terminal/elapsed.js";
import { expect, it } from "vitest";

it.each([
  [0, "0 s"],
  [-5, "0 s"],
  [4999, "4 s"],
  [125_000, "2 min 5 s"],
  [3_600_000 + 20 * 60_000, "1 h 20 min"],
  [86_400_000, "1 day 0 h"],
  [2 * 86_400_000 + 4 * 3_600_000, "2 days 4 h"],
])("describeDuration describes %s ms as %s", (ms, text) => {
  expect(describeDuration(ms)).toBe(text);
});

it("withElapsed shows the time only after the first second", () => {
  expect(withElapsed("starting a", 999)).toBe("starting a …");
  expect(withElapsed("starting a", 4000)).toBe("starting a … 4 s");
});
