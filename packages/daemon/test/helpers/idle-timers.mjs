// @ts-check
/**
 * Starts a host with three stdio servers, waits until it is idle, at most ten seconds, and prints the delays of all
 * pending timers of the process, also of those of Node.
 *
 *   node idle-timers.mjs running|embedded <command of a server> <its arguments>
 */
import { createHook } from "node:async_hooks";
import { startDaemon } from "@plugboard/daemon";
import { createHost } from "@plugboard/host";

/** A shorter timer means that the host is not idle yet: it delays a write to join it with later writes. */
const SHORTEST_IDLE_MS = 10_000;

/** A delay that no timer of the host has, so that the timer of this script can be told apart. */
const RETRY_MS = 101;
const MAX_TRIES = 100;

/** @type {Map<number, { _idleTimeout: number }>} */
const timers = new Map();
createHook({
  init(id, type, _trigger, resource) {
    if (type === "Timeout") timers.set(id, /** @type {any} */ (resource));
  },
  destroy(id) {
    timers.delete(id);
  },
}).enable();

const [kind, command = "", ...args] = process.argv.slice(2);
// Each definition differs, because equal definitions share one process.
const servers = Object.fromEntries([1, 2, 3].map((at) => [`s${at}`, { command, args, env: { AT: String(at) } }]));
const { errors, close } = await (kind === "running" ? startRunning() : startEmbedded());
for (let tries = 0; tries < MAX_TRIES && delays().some((ms) => ms < SHORTEST_IDLE_MS); tries++) {
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}
process.stdout.write(JSON.stringify({ errors, delays: delays() }));
await close();

async function startRunning() {
  const daemon = await startDaemon({ port: 0, env: process.env, spec: { cwd: process.cwd(), servers } });
  const { errors } = await daemon.workspace.start();
  return { errors, close: () => daemon.stop() };
}

async function startEmbedded() {
  const host = await createHost({ cwd: process.cwd(), env: process.env, servers });
  const { errors } = await host.ready();
  return { errors, close: () => host.close() };
}

function delays() {
  // A timer that has ended has a negative delay. The timer of this script is left out, too.
  return [...timers.values()].map((timer) => timer._idleTimeout).filter((ms) => ms > 0 && ms !== RETRY_MS);
}
