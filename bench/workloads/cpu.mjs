// @ts-check
/** Measures the CPU time of this process per call, with many calls in flight, in µs. */
import { callInFlight } from "./in-flight.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, settings) {
  const { calls = 1 } = settings;
  const client = await connect();
  return {
    async round() {
      const before = process.cpuUsage();
      await callInFlight(client, settings);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / calls;
    },
    end: () => client.close(),
  };
}
