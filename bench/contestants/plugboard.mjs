// @ts-check
/** Plugboard's engine as the host uses it: requests over a supervised connection, and validated results. */
import { Connection, parseToolResult, serveInProcess } from "@plugboard/mcp";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";

const processes = new Processes(systemClock);

/** The options of every call, with the timeouts of a host. */
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
 * @param {"legacy" | undefined} era the known era of the server, if any
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
