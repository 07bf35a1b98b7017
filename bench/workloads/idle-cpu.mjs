// @ts-check
/**
 * Measures the CPU time that a running host takes while nobody uses it, in ms a minute, without its servers. A round
 * covers the time since the previous round, and lasts at least `idleMs`. Thus the hosts of several contestants idle at
 * the same time.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { commandHome } from "../commands/command-home.mjs";
import { openClient } from "../gateways/client.mjs";
import { checkTools } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant, serverNode }, { servers: count = 1, idleMs = 0 }) {
  const home = commandHome(serverNode);
  /** @type {import("../gateways/gateway.mjs").Gateway} */
  const gateway = await import(`../gateways/${contestant}.mjs`);
  const { command, args } = home.server;
  const ids = Array.from({ length: count }, (_, at) => `bench${at}`);
  const running = await gateway.start(
    home,
    Object.fromEntries(ids.map((id) => [id, { command, args: [...args, id] }])),
  );
  // The tools of a server are listed when it is ready.
  for (const endpoint of Object.values(running.endpoints)) {
    const client = await openClient(endpoint);
    checkTools(client);
    await client.close();
  }
  let since = { at: performance.now(), cpuMs: cpuMs(running.pids) };
  return {
    async round() {
      await delay(since.at + idleMs - performance.now());
      const before = since;
      since = { at: performance.now(), cpuMs: cpuMs(running.pids) };
      return ((since.cpuMs - before.cpuMs) / (since.at - before.at)) * 60_000;
    },
    async end() {
      await running.stop();
      home.remove();
    },
  };
}

/**
 * Returns the CPU time of the processes, as Linux counts it for each thread.
 * @param {readonly number[]} pids
 */
function cpuMs(pids) {
  const nanoseconds = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    ),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
