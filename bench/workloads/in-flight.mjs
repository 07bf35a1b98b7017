// @ts-check
/** Makes calls, with a constant number of them in flight. */
import { checkText } from "./workload.mjs";

/**
 * @param {import("./workload.mjs").Client} client
 * @param {import("../benchmarks.mjs").Settings} settings
 */
export async function callInFlight(client, { calls = 1, inFlight = 1 }) {
  let made = 0;
  const callOn = async () => {
    while (made < calls) {
      const text = `call ${++made}`;
      checkText(await client.call("echo", { text }), text);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, callOn));
}
