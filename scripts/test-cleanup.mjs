// @ts-check
/** Takes back what a test changed in its process, at once: the next file of tests runs in the same process. */
import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
