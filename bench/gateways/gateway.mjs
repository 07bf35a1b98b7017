// @ts-check
/**
 * What a benchmarked gateway is: a module in this folder that starts the gateway in a home of its own. A gateway that
 * serves only one server is started once for each server.
 *
 * @typedef {import("../commands/command-home.mjs").CommandHome} CommandHome
 * @typedef {import("../commands/command-home.mjs").Servers} Servers
 *
 * @typedef {object} Endpoint where a client finds one server
 * @property {string} url
 * @property {{ readonly [name: string]: string }} [headers]
 * @property {"http" | "sse"} [transport] by default `http`
 * @property {string} [prefix] of the names of the server's tools
 * @property {Wrapping} [wrapping] if the gateway does not offer the server's tools themselves
 *
 * @typedef {object} Wrapping calls the server's tools through a tool of the gateway
 * @property {ToolCall} listTools its result is the server's tools
 * @property {(name: string, args: import("../contestants/index.mjs").Arguments) => ToolCall} toCall
 * @property {(result: any) => any} fromResult returns the server's own result, or throws
 *
 * @typedef {{ readonly name: string, readonly arguments: object }} ToolCall the params of `tools/call`
 *
 * @typedef {object} Running
 * @property {{ readonly [server: string]: Endpoint }} endpoints
 * @property {readonly number[]} pids the processes of the gateway, without the servers
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {object} Gateway
 * @property {(home: CommandHome, servers: Servers) => Promise<Running>} start
 * @property {number} [callsPerRound] the number of calls in a round, for a gateway that is so slow that the benchmark's
 *   number would take minutes. Each client makes at least one call. Samples are rates, so they stay comparable.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port that is free now, for gateways that can't choose a port themselves. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address !== "object") throw new Error("no port");
  return address.port;
}

/**
 * Resolves when the URL gives any answer, even an error. Throws if there is no answer within 30 s.
 * @param {string} url
 */
export async function reachable(url) {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      const response = await fetch(url, { headers: { accept: "text/event-stream" } });
      await response.body?.cancel();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      // Polls, because a peer does not report that it listens.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * Starts a gateway that can serve only one server, once for each server.
 * @param {CommandHome} home
 * @param {Servers} servers
 * @param {(server: Servers[string], port: number) => { args: readonly string[], url: string }} commandOf
 * @returns {Promise<Running>}
 */
export async function oneForEach(home, servers, commandOf) {
  const started = await Promise.all(
    Object.entries(servers).map(async ([id, server]) => {
      const { args, url } = commandOf(server, await freePort());
      const { child, stop } = home.keep(...args);
      await reachable(url);
      return { id, url, pid: child.pid ?? 0, stop };
    }),
  );
  return {
    endpoints: Object.fromEntries(started.map(({ id, url }) => [id, { url }])),
    pids: started.map(({ pid }) => pid),
    stop: () => Promise.all(started.map(({ stop }) => stop())),
  };
}
