// @ts-check
/**
 * Runs one contestant of one benchmark in a process of its own, so that contestants share no compiled code, memory or
 * CPU time. Runs a round when the parent asks for one.
 *
 *   node runner.mjs <benchmark> <contestant> <node for the servers> [file for a CPU profile]
 */
import { Session } from "node:inspector/promises";
import { writeFileSync } from "node:fs";
import { BENCHMARKS } from "./benchmarks.mjs";
import { GRACE_MS } from "./runner-process.mjs";
import { connector } from "./servers/connector.mjs";

/** @typedef {{ readonly ok: true, readonly value: number } | { readonly ok: false, readonly error: string }} Report */

const [name, contestantName = "", serverNode = process.execPath, profileFile] = process.argv.slice(2);
const benchmark = BENCHMARKS.find((one) => one.name === name);
if (!benchmark) throw new Error(`no benchmark "${name}"`);
const { settings, workload } = benchmark;

const { transport } = settings;

/** @type {{ begin: import("./workloads/workload.mjs").Begin }} */
const { begin } = await import(`./workloads/${workload}.mjs`);

/** The contestant is loaded only if it works in this process. */
const { stop, ...connections } = transport
  ? await connector(await import(`./contestants/${contestantName}.mjs`), transport, serverNode)
  : { connect: doesNotConnect, connectAll: doesNotConnect, stop: () => {} };
/** @type {import("./workloads/workload.mjs").Begun | undefined} */
let begun;
const profiler = new Session();

const orders = {
  begin: async () => {
    begun = await begin({ contestant: contestantName, serverNode, ...connections }, settings);
    return 0;
  },
  round: async () => (begun ? begun.round() : 0),
  /** Profiles only the measured rounds, not the start of Node or the contestant. */
  profile: async () => {
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.start");
    return 0;
  },
  end: async () => {
    if (profileFile) {
      const { profile } = await profiler.post("Profiler.stop");
      writeFileSync(profileFile, JSON.stringify(profile));
    }
    await endWorkload();
    return 0;
  },
};

process.on("message", (/** @type {keyof typeof orders} */ order) => {
  orders[order]().then(
    (value) => tell({ ok: true, value }),
    (error) => tell({ ok: false, error: error instanceof Error ? error.message : String(error) }),
  );
});
// The parent has finished, has crashed, or has stopped waiting for this contestant.
process.on("disconnect", () => {
  setTimeout(() => process.exit(), GRACE_MS);
  void endWorkload().finally(() => process.exit());
});
// Ctrl-C also ends the parent. This process ends after its workload.
process.on("SIGINT", () => {});
tell({ ok: true, value: 0 });

/** @returns {Promise<never>} */
function doesNotConnect() {
  return Promise.reject(new Error("this contestant does not connect in the process of the runner"));
}

/** Ends the workload once, with the servers and daemons that it has started. */
async function endWorkload() {
  const ending = begun;
  begun = undefined;
  await ending?.end();
  stop();
}

/** @param {Report} report */
function tell(report) {
  if (process.connected) process.send?.(report);
}
