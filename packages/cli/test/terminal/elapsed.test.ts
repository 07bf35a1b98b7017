import { withElapsed } from "#terminal/elapsed.js";
import { expect, it } from "vitest";

it("withElapsed shows the time only after the first second", () => {
  expect(withElapsed("starting a", 999)).toBe("starting a …");
  expect(withElapsed("starting a", 4000)).toBe("starting a … 4 s");
});
