import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestSpecification, Vitest } from "vitest/node";
import { expect, it } from "vitest";
import { root } from "../run.mjs";
import { SLOW_TESTS, SlowFilesFirst } from "../test-runner/slow-files-first.mjs";

it.each(SLOW_TESTS)("%s, which is listed as slow, exists", (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

it("the slow files start first, and the other files in the order of vitest", async () => {
  const project = { name: "", config: { isolate: false, sequence: { groupOrder: 0 } } };
  const sizes: { [path: string]: number } = { "a.test.ts": 1, "b.test.ts": 9, "bench/test/measure.test.ts": 1 };
  const getFileStats = (key: string) => ({ size: sizes[key.slice(1)] });
  const cache = { getFileTestResults: () => undefined, getFileStats };
  const sequencer = new SlowFilesFirst({ config: { root }, cache } as unknown as Vitest);
  const files = Object.keys(sizes).map((path) => ({ project, moduleId: join(root, path) }) as TestSpecification);
  const sorted = await sequencer.sort(files);
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
    ["bench/test/measure.test.ts", "b.test.ts", "a.test.ts"].map((path) => join(root, path)),
  );
});
