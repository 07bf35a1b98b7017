// @ts-check
/** Renders the results of a run as a table. Pure. */

/**
 * @typedef {import("./find-sites.mjs").Site} Site
 *
 * @typedef {object} Result
 * @property {Site} site
 * @property {string | null} noticedBy the test file that failed, or null if no test noticed the change
 * @property {string} [title] of the first test that failed
 * @property {boolean} [hung] the tests did not end before the deadline
 * @property {number} seconds
 * @property {number} testFiles the number of test files that ran
 *
 * @typedef {object} Report
 * @property {string} seed
 * @property {string} commit
 * @property {string[]} folders
 * @property {number} count
 * @property {string[]} leftOut test files that failed without a change, and did not run for the changes
 * @property {Result[]} results
 */

/** @param {Report} report */
export function renderReport({ seed, commit, folders, count, leftOut, results }) {
  const survivors = results.filter(({ noticedBy }) => noticedBy === null);
  const rows = results.map(({ site, noticedBy, hung, seconds, testFiles }) =>
    [
      `${site.file}:${site.line}`,
      site.kind,
      `\`${cell(site.before)}\` → \`${site.kind === "dropped call" ? "" : cell(site.after)}\``,
      noticedBy === null ? `**survived** ${testFiles} test files` : `${noticedBy}${hung ? " (hung)" : ""}`,
      Math.round(seconds),
    ].join(" | "),
  );
  return [
    `# Mutation run`,
    `Commit ${commit}, seed ${seed}, ${folders.join(", ")}.`,
    `${results.length - survivors.length} of ${results.length} changes were noticed${results.length < count ? ` (${count} were asked for)` : ""}.`,
    ...(leftOut.length > 0 ? [`Left out, because they failed without a change: ${leftOut.join(", ")}.`] : []),
    ...(survivors.length > 0 ? [`Survivors:\n\n${survivors.map(survivor).join("\n")}`] : []),
    [
      "| line | change | from → to | noticed by | s |",
      "|---|---|---|---|---|",
      ...rows.map((row) => `| ${row} |`),
    ].join("\n"),
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

/** @param {Result} result */
function survivor({ site, testFiles }) {
  const reached = testFiles === 0 ? "no test reaches it" : `${testFiles} test files pass`;
  return `- ${site.file}:${site.line}: ${site.kind}, \`${site.before.replaceAll(/\s+/g, " ")}\` (${reached})`;
}

/** @param {string} text */
function cell(text) {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
