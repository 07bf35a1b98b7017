// @ts-check
/** Runs vitest, counts what it ran and hands back its report. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNodeAsync, toolScript } from "./run.mjs";
import { countTests, verdict } from "./test-report.mjs";

/**
 * @param {readonly string[]} args what vitest is told
 * @param {boolean} filtered whether somebody chose a part of the tests, so that others are skipped
 */
export async function runTests(args, filtered) {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-test-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const vitest = ["run", ...reporters, ...args];
    const { status: vitestStatus } = await runNodeAsync(toolScript("vitest"), vitest, "inherit");
    // A vitest that crashed leaves no report: nothing was counted, and that is no pass.
    const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] };
    return { ...verdict(countTests(report), { vitestStatus, filtered }), report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
