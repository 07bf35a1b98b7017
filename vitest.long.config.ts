/** What `npm run test:long` runs: the long tests, and the ordinary ones that do more when PLUGBOARD_LONG is set. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

const tests = readdirSync("packages")
  .map((name) => `packages/${name}/test`)
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts"));

export default defineConfig({
  test: {
    ...base.test,
    include: tests.filter(
      (path) => path.endsWith(".long.test.ts") || readFileSync(path, "utf8").includes("PLUGBOARD_LONG"),
    ),
    exclude: configDefaults.exclude,
    // Fewer than in the ordinary run, because many of these tests measure memory and time.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
