// @ts-check
/**
 * A minimal program for one call: starts the server, does the handshake, calls the tool and ends. Has no timeouts, checks
 * or error handling. Frozen, because figures are ratios to it.
 *
 *   node one-shot.mjs <tool> <arguments as JSON> <command> [argument…]
 */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1.0.0" },
};

/**
 * Resolves with the result. The server ends afterwards.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} name
 * @param {object} given
 * @returns {Promise<any>}
 */
export function callOnce(command, args, name, given) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
    /** @param {object} message */
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { id, result } = JSON.parse(line);
        if (id === 1) {
          send({ method: "notifications/initialized" });
          send({ id: 2, method: "tools/call", params: { name, arguments: given } });
        } else if (id === 2) {
          child.stdin.end();
          resolve(result);
        }
      }
    });
    send({ id: 1, method: "initialize", params: HELLO });
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [tool = "", given = "{}", command = "", ...args] = process.argv.slice(2);
  console.log(JSON.stringify(await callOnce(command, args, tool, JSON.parse(given))));
}
