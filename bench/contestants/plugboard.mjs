// @ts-check
/** Our engine as a host uses it: requests to a supervised connection, and results that are read before they are given out. */
import { Connection, parseToolResult, serveInProcess, systemClock } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";

const processes = new Processes(systemClock);

/** Nobody gives up and nobody watches the progress, but the clocks run. The figures are a host's own. */
const CALL = /** @type {const} */ ({
  caller: { kind: "program", id: "bench" },
  timeoutMs: 60_000,
  maxMs: 600_000,
  elicitation: false,
});

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export const connectStdio = (command, args) => connect(stdioTarget(command, args), undefined);

/** @param {string} url */
export const connectHttp = (url) => connect(httpTarget(url), undefined);

/** @param {import("@plugboard/mcp").ServerObject} server */
export const connectObject = (server) =>
  connect({ transport: "in-process", id: "bench", connect: () => serveInProcess(server) }, undefined);

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {import("@plugboard/mcp").Target}
 */
export function stdioTarget(command, args) {
  return { transport: "stdio", command, args, cwd: process.cwd(), env: {} };
}

/**
 * @param {string} url
 * @returns {import("@plugboard/mcp").Target}
 */
export function httpTarget(url) {
  return { transport: "http", url, headers: {} };
}

/**
 * @param {import("@plugboard/mcp").Target} target
 * @param {"legacy" | undefined} era what is remembered of the server
 */
export async function connect(target, era) {
  const connection = new Connection({
    server: "bench",
    target,
    processes,
    clock: systemClock,
    identity: { name: "plugboard-bench", version: "0.0.0" },
    startupTimeoutMs: 30_000,
    requestTimeoutMs: 60_000,
    eraStore: { get: () => era, set: () => {} },
    onUnattributedRequest: () => Promise.resolve({ action: "cancel" }),
    onChanged: () => {},
  });
  await connection.ready();
  return {
    tools: connection.catalog.tools,
    /**
     * @param {string} name
     * @param {import("./index.mjs").Arguments} args
     */
    async call(name, args) {
      const outcome = await connection.request({ method: "tools/call", params: { name, arguments: args } }, CALL);
      return outcome.type === "complete" ? parseToolResult(outcome.result) : outcome;
    },
    close: () => connection.stop(),
  };
}
