import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const bench = new URL("..", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, bench), "utf8");

it.each(readdirSync(new URL("raw", bench)))("raw/%s stays small", (file) => {
  const text = read(`raw/${file}`);
  expect(text.split("\n").length).toBeLessThanOrEqual(81);
  const imported = [...text.matchAll(/ from "([^"]+)"/g)].map(([, module]) => module);
  expect(imported.filter((module) => module !== "undici" && !module?.startsWith("node:"))).toEqual([]);
});

it("the baseline and the engine use the same undici", () => {
  const of = (path: string) => JSON.parse(read(path)).dependencies.undici;
  expect(of("package.json")).toBe(of("../packages/mcp/package.json"));
});
