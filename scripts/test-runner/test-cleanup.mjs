// @ts-check
/** Undoes a test's changes to its process, because the next test file runs in the same process. */
import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
