// @ts-check
/** Runs vitest and counts what it ran. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./run.mjs";
import { countTests, verdict } from "./test-report.mjs";

/**
 * @param {readonly string[]} args what vitest is told
 * @param {boolean} filtered whether somebody chose a part of the tests, so that others are skipped
 */
export function runTests(args, filtered) {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-test-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const vitestStatus = runTool("vitest", ["run", ...reporters, ...args]);
    // A vitest that crashed leaves no report: nothing was counted, and that is no pass.
    const counts = countTests(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { testResults: [] });
    return verdict(counts, { vitestStatus, filtered });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
