// @ts-check
/** Measures the calls per second of several clients of one gateway. Each client has one call in flight. */
import { commandHome } from "../commands/command-home.mjs";
import { openClient } from "../gateways/client.mjs";
import { checkText, checkTools } from "./workload.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant, serverNode }, { clients: count = 1, calls: most = 1 }) {
  const home = commandHome(serverNode);
  /** @type {import("../gateways/gateway.mjs").Gateway} */
  const gateway = await import(`../gateways/${contestant}.mjs`);
  const calls = Math.min(most, Math.max(count, gateway.callsPerRound ?? most));
  const running = await gateway.start(home, { bench: home.server });
  const endpoint = running.endpoints["bench"];
  if (!endpoint) throw new Error("the gateway has no endpoint");
  const clients = await Promise.all(Array.from({ length: count }, () => openClient(endpoint)));
  clients.forEach(checkTools);
  return {
    async round() {
      let made = 0;
      const started = performance.now();
      await Promise.all(
        clients.map(async (client) => {
          while (made < calls) {
            const text = `call ${++made}`;
            checkText(await client.call("echo", { text }), text);
          }
        }),
      );
      return calls / ((performance.now() - started) / 1000);
    },
    async end() {
      await Promise.all(clients.map((client) => client.close()));
      await running.stop();
      home.remove();
    },
  };
}
