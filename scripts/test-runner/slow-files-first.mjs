// @ts-check
/**
 * Starts the slow test files first. In a fresh clone, vitest knows no durations and starts the largest files first. A
 * small file that takes long would then start last, and the other workers would have nothing to do until it ends.
 */
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import { root } from "../run.mjs";

/** Folders and files whose tests take longer than the size of a file suggests, the slowest first. */
export const SLOW_TESTS = [
  "bench/test/measure.test.ts",
  "packages/daemon/test/conformance/",
  "packages/gateway/test/fairness.test.ts",
  "packages/host/test/conformance/scenarios.test.ts",
  "packages/cli/test/packed/",
  "packages/web/test/browser/",
  "packages/daemon/test/auth/own-logins.test.ts",
  "packages/mcp/test/process/process-restart.test.ts",
  "packages/daemon/test/http/dense-requests.test.ts",
  "packages/cli/test/events/live-line-in-terminal.test.ts",
  "packages/remote/test/chat-lifecycle.test.ts",
  "scripts/test/start.test.ts",
  "scripts/test/call-path.test.ts",
];

/** @typedef {import("vitest/node").TestSpecification} TestSpecification */

export class SlowFilesFirst extends BaseSequencer {
  /**
   * @override
   * @param {TestSpecification[]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

/** @param {TestSpecification} file */
function place({ moduleId }) {
  const path = relative(root, moduleId).replaceAll("\\", "/");
  const index = SLOW_TESTS.findIndex((slow) => path.startsWith(slow));
  return index === -1 ? SLOW_TESTS.length : index;
}
