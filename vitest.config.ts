import { configDefaults, defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./scripts/test-runner/slow-files-first.mjs";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "**/*.long.test.ts"],
    pool: "forks",
    globalSetup: ["scripts/test-runner/test-state.mjs"],
    setupFiles: ["test-cleanup", "test-waits", "test-warnings"].map((name) => `scripts/test-runner/${name}.mjs`),
    // No module keeps state of its own, so files share a worker and its modules: a process for each costs a minute in all.
    isolate: false,
    // Three times the cores of a small machine: about half of the time is spent waiting for processes and timers.
    maxWorkers: 6,
    sequence: { sequencer: SlowFilesFirst },
    // The compiled code needs no transformation, so Node loads it by itself.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    // Long enough for several processes or a browser on a busy machine. Single waits give up earlier, and say for what.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is short for a process on a busy machine. test-waits.mjs does the same for `vi.waitFor`.
    expect: { poll: { timeout: 10_000 } },
    retry: 0,
    restoreMocks: true,
  },
});
