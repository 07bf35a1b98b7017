// @ts-check
/**
 * Makes small changes in the sources, one at a time, and says which of them no test notices.
 *
 *   npm run mutate -- [--count 60] [--seed TEXT] [--package NAME]… [--tests PATH]… [--commit REF] [--jobs 2]
 *                     [--report FILE]
 *
 * The default seed is the hash of the commit, so that everyone gets the same lines. The first run of the tests is
 * without a change: the tests of --tests, otherwise of all packages that use the sources. It also records which test
 * files reach which lines. After each change, the report is written as JSON, and beside it as a table. A run with the
 * same report file, commit, seed and count continues an interrupted one.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { orderSites } from "./choose-sites.mjs";
import { applyChange, findSites } from "./find-sites.mjs";
import { insertProbes, readReached } from "./probes.mjs";
import { renderReport } from "./report.mjs";
import { isWeb, testSteps } from "./test-order.mjs";
import { WORKERS, Workspace } from "./workspace.mjs";
import { root } from "../run.mjs";

/** The sources of each package, and the packages whose tests use them. */
const PACKAGES = {
  daemon: { sources: "packages/daemon/src", testedBy: ["daemon", "remote", "cli", "web"] },
  gateway: { sources: "packages/gateway/src", testedBy: ["gateway", "daemon", "remote", "cli", "web"] },
  "web/apps": { sources: "packages/web/src/apps", testedBy: ["web"] },
  agent: { sources: "packages/agent/src", testedBy: ["agent", "daemon", "remote", "cli", "web"] },
};

/**
 * @typedef {import("./find-sites.mjs").Site} Site
 * @typedef {import("./report.mjs").Report} Report
 * @typedef {import("./report.mjs").Result} Result
 * @typedef {import("./test-order.mjs").TestFile} TestFile
 * @typedef {{ tests: TestFile[], leftOut: string[], reached: [number, string[]][] }} Baseline
 * @typedef {Report & { sites: Site[], baseline?: Baseline }} StoredReport
 */

/** The share of the test files that may fail in the run without a change. */
const MAX_LEFT_OUT = 0.05;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "60" },
    seed: { type: "string" },
    package: { type: "string", multiple: true, default: Object.keys(PACKAGES) },
    tests: { type: "string", multiple: true },
    commit: { type: "string", default: "HEAD" },
    jobs: { type: "string", default: "2" },
    report: { type: "string", default: "mutation-report.json" },
  },
});
process.exitCode = await main();

async function main() {
  const commit = git("rev-parse", values.commit);
  const seed = values.seed ?? commit;
  const count = Number(values.count);
  const chosen = Object.entries(PACKAGES).filter(([name]) => values.package.includes(name));
  const folders = chosen.map(([, { sources }]) => sources);
  const file = resolve(values.report);
  console.log(`Commit ${commit}, seed ${seed}.`);

  const workspaces = Array.from({ length: Number(values.jobs) }, () => new Workspace(commit));
  process.on("exit", () => workspaces.forEach((workspace) => workspace.remove()));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  for (const workspace of workspaces) {
    if (!((await workspace.compile()) && (await workspace.bundle()))) return fail("The commit does not build.");
  }
  const [first] = workspaces;
  if (first === undefined || chosen.length === 0) return fail("Nothing to do: see --jobs and --package.");

  /** @type {StoredReport} */
  const report = readStored(file, { commit, seed, count, folders }) ?? {
    ...{ seed, commit, folders, count, leftOut: [], results: [] },
    sites: await chooseSites(first, folders, seed, count),
  };
  const save = () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
    writeFileSync(file.replace(/(?:\.json)?$/, ".md"), renderReport(report));
  };
  save();

  if (report.baseline === undefined) {
    const testedBy = [...new Set(chosen.flatMap(([, { testedBy }]) => testedBy))];
    const testFolders = values.tests ?? testedBy.map((name) => `packages/${name}/test`);
    const files = testFolders.flatMap((folder) => filesIn(first, folder, /(?<!\.long)\.test\.ts$/));
    const baseline = await runBaseline(first, report.sites, files);
    if ("red" in baseline) return fail(`These test files fail without a change: ${baseline.red.join(", ")}`);
    report.baseline = baseline;
    report.leftOut = baseline.leftOut;
    save();
  }
  const { tests, reached } = report.baseline;
  const reachedBy = new Map(reached.map(([number, files]) => [number, new Set(files)]));
  const done = new Set(report.results.map(({ site }) => key(site)));
  const waiting = report.sites.map((site, number) => ({ site, number })).filter(({ site }) => !done.has(key(site)));

  await Promise.all(
    workspaces.map(async (workspace) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { site, number } = next;
        const result = await tryChange(workspace, site, testSteps(site, tests, reachedBy.get(number)));
        report.results.push(result);
        save();
        const verdict = result.noticedBy === null ? "SURVIVED" : `noticed by ${result.noticedBy}`;
        console.log(`${site.file}:${site.line} ${site.kind}: ${verdict}, ${Math.round(result.seconds)} s`);
      }
    }),
  );
  const survived = report.results.filter(({ noticedBy }) => noticedBy === null).length;
  console.log(`${report.results.length - survived} of ${report.results.length} noticed. See ${values.report}.`);
  return 0;
}

/**
 * Returns the first sites, in the order of the seed, whose change the compiler accepts.
 * @param {Workspace} workspace
 * @param {readonly string[]} folders
 * @param {string} seed
 * @param {number} count
 */
async function chooseSites(workspace, folders, seed, count) {
  const all = folders.flatMap((folder) =>
    filesIn(workspace, folder, /\.tsx?$/).flatMap((file) => findSites(file, workspace.read(file))),
  );
  /** @type {Site[]} */
  const accepted = [];
  for (const site of orderSites(all, seed)) {
    if (accepted.length === count) break;
    const source = workspace.read(site.file);
    workspace.write(site.file, applyChange(source, site));
    if (await workspace.compile()) accepted.push(site);
    workspace.write(site.file, source);
  }
  await workspace.compile();
  console.log(`${accepted.length} lines chosen of ${all.length} possible changes.`);
  return accepted;
}

/**
 * Runs all tests with probes instead of changes. A test file that fails is left out, and the report names it: its
 * failure could not show that it has noticed a change.
 * @param {Workspace} workspace
 * @param {readonly Site[]} sites
 * @param {readonly string[]} files
 * @returns {Promise<Baseline | { red: string[] }>}
 */
async function runBaseline(workspace, sites, files) {
  const folder = join(workspace.folder, "probes");
  mkdirSync(folder);
  writeFileSync(join(folder, "reached"), "");
  const numbered = sites.map((site, number) => ({ site, number })).filter(({ site }) => !isWeb(site.file));
  const sources = new Map(numbered.map(({ site }) => [site.file, workspace.read(site.file)]));
  for (const [file, source] of sources) {
    const probed = numbered.filter(({ site }) => site.file === file);
    workspace.write(file, insertProbes(source, probed, folder));
  }
  // A probe may widen the type of a constant, which is an error, but the compiler writes its output nevertheless.
  await workspace.compile();
  await workspace.bundle();
  console.log(`${files.length} test files run without a change.`);
  const tests = files.map((file) => ({ file, seconds: 30 }));
  const env = { PLUGBOARD_PROBES: folder };
  const run = await workspace.test(tests, { bail: false, workers: WORKERS, env });
  if (run.hung) return { red: ["all (the run does not end)"] };
  if (run.failed.length > MAX_LEFT_OUT * files.length) return { red: run.failed };
  for (const [file, source] of sources) workspace.write(file, source);
  await workspace.compile();
  await workspace.bundle();
  const reached = readReached(readFileSync(join(folder, "reached"), "utf8"));
  return {
    tests: run.durations.filter(({ file }) => !run.failed.includes(file)),
    leftOut: run.failed,
    reached: [...reached].map(([number, files]) => [number, [...files]]),
  };
}

/**
 * @param {Workspace} workspace
 * @param {Site} site
 * @param {readonly TestFile[][]} steps
 * @returns {Promise<Result>}
 */
async function tryChange(workspace, site, steps) {
  const begin = performance.now();
  const source = workspace.read(site.file);
  const result = (/** @type {string | null} */ noticedBy, /** @type {Partial<Result>} */ more = {}) => ({
    ...{ site, noticedBy, seconds: (performance.now() - begin) / 1000, testFiles: steps.flat().length },
    ...more,
  });
  if (steps.length === 0) return result(null);
  workspace.write(site.file, applyChange(source, site));
  try {
    if (!((await workspace.compile()) && (await workspace.bundle())))
      throw new Error(`${site.file}:${site.line}: the changed source does not build`);
    for (const step of steps) {
      const { failed, title, hung } = await workspace.test(step, { bail: true, workers: 3 });
      if (hung) return result(step.map(({ file }) => file).join(", "), { hung });
      const [noticedBy] = failed;
      // A failure counts only if it happens again: a test may also fail because the machine is busy.
      const confirming = step.filter(({ file }) => failed.includes(file));
      if (noticedBy === undefined) continue;
      const again = await workspace.test(confirming.length > 0 ? confirming : step, { bail: true, workers: 1 });
      if (again.hung || again.failed.length > 0) return result(noticedBy, { title: again.title || title });
    }
    return result(null);
  } finally {
    // The restored source is compiled with the next change.
    workspace.write(site.file, source);
  }
}

/**
 * @param {string} file
 * @param {Pick<Report, "commit" | "seed" | "count" | "folders">} wanted
 * @returns {StoredReport | undefined}
 */
function readStored(file, wanted) {
  if (!existsSync(file)) return undefined;
  /** @type {StoredReport} */
  const stored = JSON.parse(readFileSync(file, "utf8"));
  const { commit, seed, count, folders } = stored;
  return JSON.stringify({ commit, seed, count, folders }) === JSON.stringify(wanted) ? stored : undefined;
}

/**
 * @param {Workspace} workspace
 * @param {string} folder
 * @param {RegExp} pattern
 */
function filesIn(workspace, folder, pattern) {
  const names = readdirSync(join(workspace.folder, folder), { recursive: true, encoding: "utf8" });
  return names
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((file) => pattern.test(file))
    .toSorted();
}

/** @param {Site} site */
function key({ file, start, kind }) {
  return `${file}:${start}:${kind}`;
}

/** @param {...string} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  return 1;
}
