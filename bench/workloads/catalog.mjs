// @ts-check
/**
 * Measures the time to create a host with many in-process servers and list all their tools, in ms. Includes the handshake
 * with each server, and the validation of its tools.
 */
import { createHost } from "@plugboard/host";
import { emptyHome } from "../contestants/empty-home.mjs";
import { manyServers } from "../servers/many-tools.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin(_entry, { servers: count = 1, tools = 1 }) {
  const servers = manyServers(count, tools);
  return {
    async round() {
      const home = emptyHome();
      const started = performance.now();
      const host = await createHost({ ...home.options, persist: false, servers });
      await host.ready();
      const names = new Set(host.tools.list().map(({ name }) => name));
      const took = performance.now() - started;
      await host.close();
      home.remove();
      if (names.size !== count * tools || !names.has("mcp__server-7__read_ticket_1"))
        throw new Error(`wrong tools: ${names.size}`);
      return took;
    },
    end: async () => {},
  };
}
