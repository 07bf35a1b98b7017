// @ts-check
/** The official conformance suite, one scenario at a time: run all at once, it overlooks clients that fail or hang. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const REVISIONS = /** @type {const} */ (["2025-11-25", "2026-07-28"]);

/** Scenarios about logging in, which is the host's business: a client that is a host runs them. */
const LOGINS = "auth/";

/** How many scenarios run at once: each is two processes. */
const AT_ONCE = 2;
const CLIENT_MS = 30_000;
const SUITE_MS = 60_000;
const MAX_WORDS = 64 * 1024 * 1024;

const root = new URL("../../../../", import.meta.url);
const shim = new URL("scripts/conformance-on-node-20.mjs", root).href;
const suite = fileURLToPath(new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", root));
const engineClient = fileURLToPath(new URL("client.mjs", import.meta.url));
const hostClient = fileURLToPath(new URL("packages/host/test/conformance/client.mjs", root));

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} name
 * @property {string} status
 * @property {string} [errorMessage]
 */

/**
 * @typedef {object} Run
 * @property {readonly Check[]} checks empty if the suite wrote none
 * @property {string} stdout the client's
 * @property {string} stderr
 * @property {string} said the suite's own words
 */

/**
 * The names of all client scenarios of a revision, as the suite gives them, but for those about logging in.
 * @param {string} revision
 */
export async function scenariosOf(revision) {
  const names = await listed(["--spec-version", revision]);
  return names.filter((name) => !name.startsWith(LOGINS));
}

/**
 * The names of the scenarios about logging in: of a revision, or those of extensions.
 * @param {string} revision
 */
export async function loginScenariosOf(revision) {
  const names = revision === "extension" ? await listed([], "extension") : await listed(["--spec-version", revision]);
  return names.filter((name) => name.startsWith(LOGINS));
}

/**
 * @param {readonly string[]} filter
 * @param {string} [tag] which it must have
 */
async function listed(filter, tag = "") {
  const said = await runSuite(["list", "--client", ...filter]);
  const all = [...said.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  const names = all.filter(([, , tags = ""]) => tags.includes(tag)).map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`the suite lists nothing for ${filter.join(" ")} ${tag}:\n${said}`);
  return names;
}

/**
 * @param {string} revision
 * @param {string} scenario
 * @returns {Promise<Run>}
 */
async function run(revision, scenario) {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
  try {
    const client = scenario.startsWith(LOGINS) ? hostClient : engineClient;
    const command = `"${process.execPath}" "${client}"`;
    const limits = ["--timeout", String(CLIENT_MS), "-o", folder];
    const version = revision === "extension" ? [] : ["--spec-version", revision];
    const chosen = ["--scenario", scenario, ...version];
    const said = await runSuite(["client", "--command", command, ...chosen, ...limits]);
    const written = await readdir(folder, { recursive: true });
    /** @param {string} name */
    const read = (name) => {
      const file = written.find((path) => basename(path) === name);
      return file === undefined ? "" : readFile(join(folder, file), "utf8");
    };
    const checks = JSON.parse((await read("checks.json")) || "[]");
    return { checks, stdout: await read("stdout.txt"), stderr: await read("stderr.txt"), said };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenarios that were started last, each of which another one waits for. */
const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve());

/**
 * Runs a scenario when it is its turn.
 * @type {typeof run}
 */
export function runScenario(revision, scenario) {
  const result = (lanes.shift() ?? Promise.resolve()).then(() => run(revision, scenario));
  lanes.push(
    result.then(
      () => {},
      () => {},
    ),
  );
  return result;
}

/**
 * What the suite says. Its exit status is left to those who read its results.
 * @param {readonly string[]} args
 * @returns {Promise<string>}
 */
function runSuite(args) {
  return new Promise((resolve) => {
    const limits = { timeout: SUITE_MS, maxBuffer: MAX_WORDS };
    execFile(process.execPath, ["--import", shim, suite, ...args], limits, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
