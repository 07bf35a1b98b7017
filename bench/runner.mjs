// @ts-check
/**
 * One contestant in one benchmark, in a process of its own: nobody else's compiled code, memory or time. It does a
 * round when the parent asks for one, and nothing in between.
 *
 *   node runner.mjs <benchmark> <contestant> <node for the servers> [file for a CPU profile]
 */
import { Session } from "node:inspector/promises";
import { writeFileSync } from "node:fs";
import { BENCHMARKS } from "./benchmarks.mjs";
import { connector } from "./servers/connector.mjs";

/** @typedef {{ readonly ok: true, readonly value: number } | { readonly ok: false, readonly error: string }} Report */

const [name, contestantName = "", serverNode = process.execPath, profileFile] = process.argv.slice(2);
const benchmark = BENCHMARKS.find((one) => one.name === name);
if (!benchmark) throw new Error(`no benchmark "${name}"`);
const { settings, workload } = benchmark;

const { transport } = settings;

/** @type {{ begin: import("./workloads/workload.mjs").Begin }} */
const { begin } = await import(`./workloads/${workload}.mjs`);

/** Loaded only where it works in this process. */
const { connect, stop } = transport
  ? await connector(await import(`./contestants/${contestantName}.mjs`), transport, serverNode)
  : { connect: () => Promise.reject(new Error("it does not connect here")), stop: () => {} };
/** @type {import("./workloads/workload.mjs").Begun | undefined} */
let begun;
const profiler = new Session();

const orders = {
  begin: async () => {
    begun = await begin(connect, settings, contestantName);
    return 0;
  },
  round: async () => (begun ? begun.round() : 0),
  /** Only what counts is profiled, not how Node or the contestant starts. */
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
    await begun?.end();
    stop();
    return 0;
  },
};

process.on("message", (/** @type {keyof typeof orders} */ order) => {
  orders[order]().then(
    (value) => tell({ ok: true, value }),
    (error) => tell({ ok: false, error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
tell({ ok: true, value: 0 });

/** @param {Report} report */
function tell(report) {
  process.send?.(report);
}
