// @ts-check
/** Measures calls per second, with many calls in flight. */
import { callInFlight } from "./in-flight.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, settings) {
  const { calls = 1 } = settings;
  const client = await connect();
  return {
    async round() {
      const started = performance.now();
      await callInFlight(client, settings);
      return (calls / (performance.now() - started)) * 1000;
    },
    end: () => client.close(),
  };
}
