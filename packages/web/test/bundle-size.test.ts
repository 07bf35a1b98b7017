import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the compressed scripts of the page are smaller than 250 kB", () => {
  const folder = fileURLToPath(new URL("../dist/bundle/page/assets/", import.meta.url));
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js.gz"));
  expect(scripts).not.toEqual([]);
  expect(scripts.reduce((sum, name) => sum + statSync(folder + name).size, 0)).toBeLessThan(250_000);
});
