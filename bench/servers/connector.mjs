// @ts-check
/** Connects a contestant to a benchmark server: over stdio the contestant starts it, over HTTP it is started here, or it is an object. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * @param {import("../contestants/index.mjs").Contestant} contestant
 * @param {"stdio" | "http" | "object"} transport
 * @param {string} node the Node that the servers run on
 * @returns {Promise<{ connect: () => Promise<import("../contestants/index.mjs").Client>, stop: () => void }>}
 */
export async function connector(contestant, transport, node) {
  const { connectStdio, connectHttp, connectObject } = contestant;
  if (transport === "object") {
    if (!connectObject) throw new Error("it can't connect an object");
    const { serverObject } = await import("./object.mjs");
    return { connect: () => connectObject(serverObject()), stop: () => {} };
  }
  if (transport === "stdio") {
    if (!connectStdio) throw new Error("it can't connect over stdio");
    return { connect: () => connectStdio(node, [script("stdio.mjs")]), stop: () => {} };
  }
  if (!connectHttp) throw new Error("it can't connect over HTTP");
  const server = spawn(node, [script("http.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(server.stdout, "data");
  return { connect: () => connectHttp(String(url).trim()), stop: () => void server.stdin.end() };
}

/** @param {string} file */
function script(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}
