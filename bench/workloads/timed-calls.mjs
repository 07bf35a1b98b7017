// @ts-check
/** Makes one call after another and measures each, in ms. */
import { checkText } from "./workload.mjs";

/** @param {import("./workload.mjs").Client} client */
export function timedCalls(client) {
  let made = 0;
  return {
    times: async (/** @type {number} */ calls) => {
      const times = [];
      for (let at = 0; at < calls; at++) {
        const text = `call ${++made}`;
        const started = performance.now();
        const result = await client.call("echo", { text });
        times.push(performance.now() - started);
        checkText(result, text);
      }
      return times;
    },
    end: () => client.close(),
  };
}
