// @ts-check
/** Measures the median time of a call with a large result, in ms. */
import { plainText } from "../servers/answer.mjs";
import { median } from "../stats.mjs";
import { checkText } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, { calls = 1, bytes = 1 }) {
  const client = await connect();
  const expected = plainText(bytes);
  return {
    async round() {
      const times = [];
      for (let at = 0; at < calls; at++) {
        const started = performance.now();
        const result = await client.call("bytes", { count: bytes });
        times.push(performance.now() - started);
        checkText(result, expected);
      }
      return median(times);
    },
    end: () => client.close(),
  };
}
