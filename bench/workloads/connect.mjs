// @ts-check
/** Measures the time to connect to all servers at once and list their tools, in ms. Does not include closing. */
import { checkTools } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ connectAll }, { servers = 1 }) {
  return {
    async round() {
      const started = performance.now();
      const clients = await connectAll(servers);
      const took = performance.now() - started;
      clients.forEach(checkTools);
      await Promise.all(clients.map((client) => client.close()));
      return took;
    },
    end: async () => {},
  };
}
