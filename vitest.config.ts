import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
    pool: "forks",
    globalSetup: ["scripts/test-state.mjs"],
    // Much of the time is spent waiting, for processes and for time to pass.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    retry: 0,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
