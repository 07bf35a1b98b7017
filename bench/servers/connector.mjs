// @ts-check
/**
 * Connects a contestant to benchmark servers. Over stdio, the contestant starts the servers. Over HTTP, this module
 * starts one server. A server can also be an object in this process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** @typedef {import("../contestants/index.mjs").Client} Client */

/**
 * @param {import("../contestants/index.mjs").Contestant} contestant
 * @param {"stdio" | "http" | "object"} transport
 * @param {string} node the Node that the servers run on
 * @returns {Promise<Pick<import("../workloads/workload.mjs").Entry, "connect" | "connectAll"> & { stop: () => void }>}
 */
export async function connector(contestant, transport, node) {
  const { connectStdio, connectHttp, connectObject, connectServers } = contestant;
  if (transport === "object") {
    if (!connectObject) throw new Error("the contestant can't connect a server object");
    const { serverObject } = await import("./object.mjs");
    return oneByOne(() => connectObject(serverObject()));
  }
  if (transport === "stdio") {
    if (!connectStdio) throw new Error("the contestant can't connect over stdio");
    const single = oneByOne(() => connectStdio(node, [script("stdio.mjs")]));
    if (!connectServers) return single;
    // The arguments differ, because equal definitions may share one process.
    const argsOf = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, at) => [script("stdio.mjs"), String(at)]);
    return { ...single, connectAll: (count) => connectServers(node, argsOf(count)) };
  }
  if (!connectHttp) throw new Error("the contestant can't connect over HTTP");
  const server = spawn(node, [script("http.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(server.stdout, "data");
  return { ...oneByOne(() => connectHttp(String(url).trim())), stop: () => void server.stdin.end() };
}

/** @param {() => Promise<Client>} connect */
function oneByOne(connect) {
  return {
    connect,
    connectAll: (/** @type {number} */ count) => Promise.all(Array.from({ length: count }, connect)),
    stop: () => {},
  };
}

/** @param {string} file */
function script(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}
