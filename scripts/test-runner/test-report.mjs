// @ts-check
/** Reads vitest's JSON report: counts the tests, and decides whether the run passes. */

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} Report
 */

/**
 * @param {Report} report
 * @returns {Counts}
 */
export function countTests(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    for (const { status } of file.assertionResults) {
      if (status === "passed") counts.passed++;
      else if (status === "failed") counts.failed++;
      else counts.skipped++;
    }
    // A file that could not be loaded counts as one failed test.
    if (file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed")) counts.failed++;
  }
  return counts;
}

/**
 * Returns `good` if the run passes, and a line with the counts.
 * @param {Counts} counts
 * @param {{ vitestStatus: number, filtered: boolean }} run
 */
export function verdict({ passed, failed, skipped }, { vitestStatus, filtered }) {
  const good = vitestStatus === 0 && failed === 0 && passed > 0 && (skipped === 0 || filtered);
  return { good, line: `${passed} passed, ${failed} failed, ${skipped} skipped` };
}
