// @ts-check
/**
 * A copy of a commit in a temporary folder, in which changes are compiled and tested, so that the checkout stays
 * untouched. The copy shares the installed packages of the checkout.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root, toolScript } from "../run.mjs";

/**
 * A run of tests may take `GRACE_MS`, which is enough for one test that waits until its timeout, plus the durations of
 * all its files, multiplied by `SLOWDOWN`.
 */
const GRACE_MS = 90_000;
const SLOWDOWN = 2;

/**
 * @typedef {import("./test-order.mjs").TestFile} TestFile
 * @typedef {{ failed: string[], title: string, durations: TestFile[], hung: boolean }} TestRun
 */

export class Workspace {
  #reports = 0;

  /** @param {string} commit */
  constructor(commit) {
    this.folder = mkdtempSync(join(tmpdir(), "plugboard-mutation-"));
    const archive = join(this.folder, "commit.tar");
    run("git", ["archive", "--output", archive, commit], root);
    run("tar", ["-xf", archive, "-C", this.folder], root);
    rmSync(archive);
    cpSync(join(root, "scripts/mutation"), join(this.folder, "scripts/mutation"), { recursive: true });
    linkPackages(join(root, "node_modules"), join(this.folder, "node_modules"));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param {string} file */
  read(file) {
    return readFileSync(join(this.folder, file), "utf8");
  }

  /** @param {string} file @param {string} text */
  write(file, text) {
    writeFileSync(join(this.folder, file), text);
  }

  /** Compiles the packages. Returns false if the compiler reports an error, although it has written its output. */
  async compile() {
    return (await this.#node(toolScript("tsc"), ["-b", "packages"])) === 0;
  }

  /** Makes the bundles, which most tests load. Returns false if that fails. */
  async bundle() {
    return (await this.#node(join(this.folder, "scripts/build/bundle.mjs"), [])) === 0;
  }

  /**
   * Runs test files in the given order: with `bail` until the first failure, otherwise all of them.
   * @param {readonly TestFile[]} tests
   * @param {{ bail: boolean, workers: number, env?: NodeJS.ProcessEnv }} options
   * @returns {Promise<TestRun>}
   */
  async test(tests, { bail, workers, env = {} }) {
    const report = join(this.folder, `report-${++this.#reports}.json`);
    const seconds = tests.reduce((sum, test) => sum + test.seconds, 0);
    const args = [
      ...["run", "--config", "scripts/mutation/vitest.config.mjs", "--reporter=json", `--outputFile=${report}`],
      ...[`--maxWorkers=${workers}`, ...(bail ? ["--bail=1"] : []), ...tests.map(({ file }) => file)],
    ];
    const order = tests.map(({ file }) => file).join("\n");
    const deadline = GRACE_MS + SLOWDOWN * seconds * 1000;
    const status = await this.#node(toolScript("vitest"), args, { PLUGBOARD_TEST_ORDER: order, ...env }, deadline);
    if (status === undefined) return { failed: [], title: "", durations: [], hung: true };
    return { ...readReport(report, this.folder, status), hung: false };
  }

  /**
   * Returns the exit status, or undefined if the deadline has passed.
   * @param {string} script
   * @param {readonly string[]} args
   * @param {NodeJS.ProcessEnv} [env]
   * @param {number} [deadlineMs]
   * @returns {Promise<number | undefined>}
   */
  #node(script, args, env = {}, deadlineMs) {
    // A process group of its own, so that workers end with it.
    const child = spawn(process.execPath, [script, ...args], {
      cwd: this.folder,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, ...env },
    });
    const stop = () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    process.once("exit", stop);
    return new Promise((resolve, reject) => {
      let late = false;
      const timer =
        deadlineMs === undefined
          ? undefined
          : setTimeout(() => {
              late = true;
              stop();
            }, deadlineMs);
      child.once("error", reject).once("exit", (code) => {
        clearTimeout(timer);
        process.off("exit", stop);
        resolve(late ? undefined : (code ?? 1));
      });
    });
  }
}

export const WORKERS = 3 * availableParallelism();

/**
 * Links to each installed package of the checkout. The packages of the workspace are linked to those of the copy.
 * @param {string} from
 * @param {string} to
 */
function linkPackages(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === "@plugboard") cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else if (name === "plugboard") symlinkSync("../packages/cli", join(to, name));
    else if (name !== ".cache" && name !== ".vite") symlinkSync(join(from, name), join(to, name));
  }
}

/**
 * @param {string} file
 * @param {string} folder
 * @param {number} status
 */
function readReport(file, folder, status) {
  /** @type {{ testResults: { name: string, status: string, startTime: number, endTime: number, assertionResults: { status: string, fullName: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(file, "utf8"));
  const nameOf = (/** @type {string} */ name) => relative(folder, name).replaceAll("\\", "/");
  const failed = testResults.filter(({ status }) => status === "failed");
  const first = failed.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === "failed");
  // An error outside of a test, such as an unhandled rejection, fails the run, but no file.
  const names = failed.length > 0 ? failed.map(({ name }) => nameOf(name)) : status === 0 ? [] : ["unhandled error"];
  return {
    failed: names,
    title: first?.fullName ?? "",
    durations: testResults.map(({ name, startTime, endTime }) => ({
      file: nameOf(name),
      seconds: (endTime - startTime) / 1000,
    })),
  };
}

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stderr}`);
}
