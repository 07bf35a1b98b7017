// @ts-check
/** Runs test files in the given order. The run with probes needs no order, but records which file runs. */
import { mergeConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import config from "../../vitest.config.ts";

const order = (process.env["PLUGBOARD_TEST_ORDER"] ?? "").split("\n");

class GivenOrder extends BaseSequencer {
  /**
   * @override
   * @param {import("vitest/node").TestSpecification[]} files
   */
  async sort(files) {
    const place = (/** @type {{ moduleId: string }} */ { moduleId }) =>
      order.findIndex((file) => moduleId.endsWith(`/${file}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default mergeConfig(config, {
  test:
    process.env["PLUGBOARD_PROBES"] === undefined
      ? { sequence: { sequencer: GivenOrder } }
      : { setupFiles: ["scripts/mutation/mark-test-file.mjs"] },
});
