// @ts-check
/** Starts the hand-written proxy of `raw/proxy.mjs` once for each server. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../raw/proxy.mjs", import.meta.url));

/** @type {import("./gateway.mjs").Gateway["start"]} */
export async function start(home, servers) {
  const started = await Promise.all(
    Object.entries(servers).map(async ([id, { command, args }]) => {
      const { child, stop } = home.keep(SCRIPT, command, ...args);
      const [url] = await once(child.stdout, "data");
      return { id, url: String(url).trim(), pid: child.pid ?? 0, stop };
    }),
  );
  return {
    endpoints: Object.fromEntries(started.map(({ id, url }) => [id, { url }])),
    pids: started.map(({ pid }) => pid),
    stop: () => Promise.all(started.map(({ stop }) => stop())),
  };
}
