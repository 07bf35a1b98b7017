import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { totalsOf } from "../checks/count-call-path.mjs";
import { root } from "../run.mjs";

/**
 * How many files may run for a call, for each way. Work in the background, such as storing a catalog, happens during
 * some calls only, so a limit is a little above the usual count. Lower a limit when its way has become shorter.
 */
const MAX_FILES = {
  "cold `plugboard call`": 218,
  "`plugboard call` through a running host": 210,
  "call of a program with a host": 74,
  "gateway call": 120,
  "chat turn with one call": 134,
};

it("no call runs code of more files than its way may have", { timeout: 240_000 }, async () => {
  const script = join(root, "scripts/checks/count-call-path.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--json"]);
  const counted = JSON.parse(stdout) as { [way: string]: { [file: string]: number } };
  expect(Object.keys(counted)).toEqual(Object.keys(MAX_FILES));
  for (const [way, maxFiles] of Object.entries(MAX_FILES)) {
    const { files, functions } = totalsOf(counted[way]!);
    expect(files, way).toBeGreaterThan(50);
    expect(functions, way).toBeGreaterThan(files);
    expect(files, `${way}: ${Object.keys(counted[way]!).join(", ")}`).toBeLessThanOrEqual(maxFiles);
  }
});
