// @ts-check
/** Runs scenarios of the official conformance suite one after another, against a client here or a server at a URL. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} ClientRequest tells the client to run a scenario against a server
 * @property {"client"} type
 * @property {string} url
 * @property {string} revision
 * @property {{ readonly [key: string]: any }} context the input of the suite for the client
 */

/**
 * @typedef {{ type: "run", instance: string, args: string[] } | { type: "client_ended", status: number }} SuiteMessage
 */

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} name
 * @property {string} status
 * @property {string} [errorMessage]
 */

/**
 * @typedef {object} Run the result of one scenario
 * @property {readonly Check[]} checks empty if the suite wrote none
 * @property {string} failure why the client failed, or empty
 * @property {string} log the messages and reports of the client
 * @property {string} output what the suite printed
 */

/**
 * @typedef {(request: ClientRequest & { scenario: string, log: (line: string) => void }) => Promise<void>} Client
 * rejects if the client finds a problem
 */

/** `extension` stands for the scenarios of extensions, which belong to no revision. The suite chooses one for them. */
export const REVISIONS = /** @type {const} */ (["2025-03-26", "2025-11-25", "2026-07-28", "extension"]);

/** Longer than the deadline of the client, so that the client reports its own failure first. */
const CLIENT_TIMEOUT_MS = 30_000;

export class Suite {
  #process = fork(fileURLToPath(new URL("suite-process.mjs", import.meta.url)), { stdio: "inherit" });
  /** The previous run. The next run waits for it, because the suite has shared state. */
  #last = /** @type {Promise<unknown>} */ (Promise.resolve());

  /**
   * Returns the names of the client or server scenarios of a revision.
   * @param {string} revision
   * @param {"client" | "server"} [side] the side that the scenarios test
   */
  async scenariosOf(revision, side = "client") {
    const output = await this.#run(revision, ["list", `--${side}`, ...revisionOption(revision)]);
    const all = [...output.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
    const names = all.flatMap(([, name = "", tags = ""]) => (isSupported(revision, name, tags) ? [name] : []));
    if (names.length === 0) throw new Error(`the suite lists no scenarios for ${revision}:\n${output}`);
    return names;
  }

  /**
   * Runs one client scenario of the suite against the client.
   * @param {string} revision
   * @param {string} scenario
   * @param {Client} client
   * @returns {Promise<Run>}
   */
  async runScenario(revision, scenario, client) {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
    /** @type {string[]} */
    const log = [];
    let failure = "the suite never started the client";
    try {
      const limits = ["--timeout", String(CLIENT_TIMEOUT_MS), "-o", folder];
      const args = ["client", "--command", "client", "--scenario", scenario, ...revisionOption(revision), ...limits];
      const output = await this.#run(revision, args, async (request) => {
        failure = await client({ ...request, scenario, log: (line) => void log.push(line) }).then(
          () => "",
          (error) => String(error?.stack ?? error),
        );
        return failure === "" ? 0 : 1;
      });
      return { checks: await readChecks(folder), failure, log: log.join("\n"), output };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Runs one server scenario of the suite against the server at the URL.
   * @param {string} revision
   * @param {string} scenario
   * @param {string} url
   * @returns {Promise<Run>}
   */
  async runServerScenario(revision, scenario, url) {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
    try {
      const limits = ["--timeout", String(CLIENT_TIMEOUT_MS), "-o", folder];
      const args = ["server", "--url", url, "--scenario", scenario, ...revisionOption(revision), ...limits];
      const output = await this.#run(revision, args);
      return { checks: await readChecks(folder), failure: "", log: "", output };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async close() {
    if (this.#process.exitCode !== null || !this.#process.connected) return;
    const ended = once(this.#process, "exit");
    this.#process.disconnect();
    await ended;
  }

  /**
   * Runs a command line of the suite when the previous ones have ended. Each instance of the suite has its own state.
   * @param {string} instance
   * @param {string[]} args
   * @param {(request: ClientRequest) => Promise<number>} [runClient]
   * @returns {Promise<string>} what the suite printed
   */
  #run(instance, args, runClient = () => Promise.resolve(1)) {
    const result = this.#last.then(() => runCommand(this.#process, { type: "run", instance, args }, runClient));
    this.#last = result.catch(() => {});
    return result;
  }
}

/**
 * @param {import("node:child_process").ChildProcess} suite
 * @param {SuiteMessage} command
 * @param {(request: ClientRequest) => Promise<number>} runClient
 * @returns {Promise<string>}
 */
function runCommand(suite, command, runClient) {
  return new Promise((resolve, reject) => {
    /** @param {() => void} then */
    const settle = (then) => {
      suite.off("message", onMessage);
      suite.off("exit", onExit);
      then();
    };
    const onExit = () => settle(() => reject(new Error("the suite's process has ended")));
    /** @param {any} message */
    const onMessage = (message) => {
      if (message.type === "done") settle(() => resolve(message.output));
      else void runClient(message).then((status) => suite.send({ type: "client_ended", status }));
    };
    suite.on("message", onMessage);
    suite.on("exit", onExit);
    suite.send(command);
  });
}

/**
 * Returns whether the host supports the scenario. Of the extensions, it supports logins, but not skills (SEP-2640).
 * @param {string} revision
 * @param {string} name
 * @param {string} tags
 */
function isSupported(revision, name, tags) {
  return revision !== "extension" || (tags.includes("extension") && name.startsWith("auth/"));
}

/**
 * Returns the option of the suite that selects a revision.
 * @param {string} revision
 */
function revisionOption(revision) {
  return revision === "extension" ? [] : ["--spec-version", revision];
}

/**
 * @param {string} folder
 * @returns {Promise<Check[]>}
 */
async function readChecks(folder) {
  const written = await readdir(folder, { recursive: true });
  const file = written.find((path) => basename(path) === "checks.json");
  return file === undefined ? [] : JSON.parse(await readFile(join(folder, file), "utf8"));
}
