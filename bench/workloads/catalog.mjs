// @ts-check
/**
 * From a program that has many servers of its own to the list of all their tools under their names, in ms. Nothing is
 * left out: the host is made, each server is greeted and asked for its tools, and these are checked.
 */
import { createHost } from "@plugboard/host";
import { emptyHome } from "../contestants/empty-home.mjs";
import { manyServers } from "../servers/many-tools.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin(_connect, { servers: count = 1, tools = 1 }) {
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
