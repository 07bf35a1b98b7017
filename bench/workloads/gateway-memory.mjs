// @ts-check
/**
 * Measures a gateway with several clients of several servers, after each client has called each server: the memory of
 * the gateway's processes in MB, or the number of server processes.
 */
import { readFileSync } from "node:fs";
import { commandHome } from "../commands/command-home.mjs";
import { openClient } from "../gateways/client.mjs";
import { checkText } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant, serverNode }, { clients: count = 1, servers: serverCount = 1, counts }) {
  /** @type {import("../gateways/gateway.mjs").Gateway} */
  const gateway = await import(`../gateways/${contestant}.mjs`);
  return {
    async round() {
      const home = commandHome(serverNode);
      const { command, args } = home.server;
      const servers = Object.fromEntries(
        Array.from({ length: serverCount }, (_, at) => [`bench${at}`, { command, args: [...args, String(at)] }]),
      );
      const running = await gateway.start(home, servers);
      const clients = await Promise.all(
        Array.from({ length: count }, () => Promise.all(Object.values(running.endpoints).map(openClient))),
      );
      for (const [at, client] of clients.flat().entries()) {
        checkText(await client.call("echo", { text: `call ${at}` }), `call ${at}`);
      }
      const value = counts === "servers" ? home.serversStarted() : residentMegabytes(running.pids);
      await Promise.all(clients.flat().map((client) => client.close()));
      await running.stop();
      home.remove();
      return value;
    },
    end: async () => {},
  };
}

/**
 * Returns the sum of the resident memory, as Linux reports it.
 * @param {readonly number[]} pids
 */
function residentMegabytes(pids) {
  const kilobytes = pids.map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1000;
}
