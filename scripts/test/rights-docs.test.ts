/** Checks that docs/rights.md shows the rights as they are. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rightsFile, rightsPage } from "../docs/rights.mjs";

it("docs/rights.md matches the code; run `node scripts/docs/rights.mjs` to update it", () => {
  expect(readFileSync(rightsFile, "utf8")).toBe(rightsPage());
});
