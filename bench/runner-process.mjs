// @ts-check
/** Starts runner.mjs in a process and tells it what to do. `FreshRunner` starts a new process for every round. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { CHECKOUT_VARIABLE } from "./checkout.mjs";

/** A contestant that does not answer within this time has failed. */
const PATIENCE_MS = 120_000;

/** Time for a runner to end its servers and daemons. */
export const GRACE_MS = 5000;

const RUNNER = fileURLToPath(new URL("runner.mjs", import.meta.url));
const CHECKOUT_MODULE = new URL("checkout.mjs", import.meta.url).href;

/**
 * @typedef {object} RunnerSpec
 * @property {string} benchmark
 * @property {string} contestant
 * @property {string} node the Node that the runner runs on
 * @property {string} serverNode
 * @property {string} [profileFile] where to write a CPU profile
 * @property {string} [checkout] the folder of another checkout, whose Plugboard is measured
 */

/**
 * @typedef {object} Runner
 * @property {() => Promise<void>} begin prepares everything that is not measured
 * @property {() => Promise<void>} warm called after the warm-up rounds; the next rounds count
 * @property {() => Promise<number>} round returns the sample
 * @property {() => Promise<void>} end
 * @property {() => Promise<void>} kill ends a failed runner, with the servers and daemons that it has started
 */

/** @implements {Runner} */
export class RunnerProcess {
  /** @type {import("node:child_process").ChildProcess} */
  #child;
  /** @type {boolean} */
  #profiled;

  /** @param {RunnerSpec} spec */
  constructor({ benchmark, contestant, node, serverNode, profileFile, checkout }) {
    this.#profiled = profileFile !== undefined;
    this.#child = fork(RUNNER, [benchmark, contestant, serverNode, ...(profileFile ? [profileFile] : [])], {
      execPath: node,
      execArgv: ["--no-warnings", ...(checkout === undefined ? [] : ["--import", CHECKOUT_MODULE])],
      env: { ...environment(), ...(checkout !== undefined && { [CHECKOUT_VARIABLE]: checkout }) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  async begin() {
    await this.#report();
    await this.#tell("begin");
  }

  async warm() {
    if (this.#profiled) await this.#tell("profile");
  }

  round() {
    return this.#tell("round");
  }

  async end() {
    await this.#tell("end");
    await this.#leave();
  }

  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    await this.#leave();
    clearTimeout(timer);
  }

  async #leave() {
    const exited = once(this.#child, "exit");
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }

  /** @param {"begin" | "profile" | "round" | "end"} order */
  #tell(order) {
    const report = this.#report();
    this.#child.send(order);
    return report;
  }

  /** @returns {Promise<number>} */
  #report() {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new Error("the contestant did not answer in time"))),
        PATIENCE_MS,
      );
      const onMessage = (/** @type {any} */ report) =>
        settle(() => (report.ok ? resolve(report.value) : reject(new Error(report.error))));
      const onExit = () => settle(() => reject(new Error("the process of the contestant ended")));
      child.once("message", onMessage).once("exit", onExit);
      /** @param {() => void} then */
      function settle(then) {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit);
        then();
      }
    });
  }
}

/** @implements {Runner} */
export class FreshRunner {
  /** @type {RunnerSpec} */
  #spec;
  /** @type {RunnerProcess | undefined} */
  #process;

  /** @param {RunnerSpec} spec */
  constructor(spec) {
    this.#spec = spec;
  }

  async begin() {}

  async warm() {}

  async round() {
    const process = (this.#process = new RunnerProcess(this.#spec));
    await process.begin();
    await process.warm();
    const value = await process.round();
    await process.end();
    return value;
  }

  async end() {}

  async kill() {
    await this.#process?.kill();
  }
}

/** Returns the environment without options of Node and extra certificates, which more than double its start time. */
function environment() {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
  return rest;
}
