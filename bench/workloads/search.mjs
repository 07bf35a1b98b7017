// @ts-check
/**
 * Measures the median time of a search over the tools of many servers, in ms. Each search has another query, most of whose
 * words occur in hundreds of tools. The first search, which builds the index, is not counted.
 */
import { createHost } from "@plugboard/host";
import { emptyHome } from "../contestants/empty-home.mjs";
import { manyServers, topic } from "../servers/many-tools.mjs";
import { median } from "../stats.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin(_entry, { servers = 1, tools = 1, calls = 1 }) {
  const home = emptyHome();
  const host = await createHost({ ...home.options, persist: false, servers: manyServers(servers, tools) });
  await host.ready();
  await host.tools.search("issue");
  let made = 0;
  return {
    async round() {
      const times = [];
      for (let at = 0; at < calls; at++) {
        const [server, tool] = [(made * 7) % servers, (made * 3) % tools];
        made += 1;
        const { name, verb, noun, subject } = topic(server, tool);
        const started = performance.now();
        const hits = await host.tools.search(`${verb} the ${noun} about ${subject} in my workspace`);
        times.push(performance.now() - started);
        const [first] = hits;
        if (hits.length !== 10 || first?.tool.server !== `server-${server}` || first.tool.tool !== name)
          throw new Error(`a wrong answer: ${first?.tool.name}`);
      }
      return median(times);
    },
    async end() {
      await host.close();
      home.remove();
    },
  };
}
