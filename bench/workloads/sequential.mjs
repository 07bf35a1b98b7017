// @ts-check
/** One call after another: the median time of a call, in µs. */
import { median } from "../stats.mjs";
import { checkText } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin(connect, { calls = 1 }) {
  const client = await connect();
  let made = 0;
  return {
    async round() {
      const times = [];
      for (let at = 0; at < calls; at++) {
        const text = `call ${++made}`;
        const started = performance.now();
        const result = await client.call("echo", { text });
        times.push(performance.now() - started);
        checkText(result, text);
      }
      return median(times) * 1000;
    },
    end: () => client.close(),
  };
}
