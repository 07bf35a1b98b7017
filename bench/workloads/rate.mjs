// @ts-check
/** Measures how many calls per second are made, one after another. */
import { checkText } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connect }, { calls = 1 }) {
  const client = await connect();
  let made = 0;
  return {
    async round() {
      const started = performance.now();
      for (let at = 0; at < calls; at++) {
        const text = `call ${++made}`;
        checkText(await client.call("echo", { text }), text);
      }
      return (calls / (performance.now() - started)) * 1000;
    },
    end: () => client.close(),
  };
}
