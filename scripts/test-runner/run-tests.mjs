// @ts-check
/** Runs vitest, counts its tests and returns its report. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNodeAsync, toolScript } from "../run.mjs";
import { countTests, verdict } from "./test-report.mjs";

/**
 * @param {readonly string[]} args arguments of vitest
 * @param {{ filtered: boolean }} options `filtered`: the arguments select a part of the tests, so skipped tests do not
 *   fail the run
 */
export async function runTests(args, { filtered }) {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-test-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const vitest = ["run", ...reporters, ...args];
    const { status: vitestStatus } = await runNodeAsync(toolScript("vitest"), vitest, "inherit");
    // If there is no report, vitest has crashed. Then no test is counted, so the run fails.
    const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] };
    return { ...verdict(countTests(report), { vitestStatus, filtered }), report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
