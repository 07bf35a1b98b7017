// @ts-check
/**
 * A minimal stdio client: starts the server, does the handshake, splits lines and matches responses to requests. Has no
 * timeouts, checks or error handling. Frozen, because every figure is a ratio to it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Resolves when the tools are listed.
 * @param {string} command
 * @param {readonly string[]} args
 */
export async function openStdio(command, args) {
  // Starts a new session, because Linux may give each session an equal share of a busy machine.
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  /** @type {Map<number, (result: any) => void>} */
  const pending = new Map();
  let rest = "";
  let lastId = 0;

  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
      const { id, result } = JSON.parse(rest + chunk.slice(from, at));
      rest = "";
      from = at + 1;
      const resolve = pending.get(id);
      pending.delete(id);
      resolve?.(result);
    }
    if (from < chunk.length) rest += chunk.slice(from);
  });

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  function request(method, params) {
    const id = ++lastId;
    return new Promise((resolve) => {
      pending.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1.0.0" },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = await request("tools/list", {});

  return {
    tools,
    /**
     * @param {string} name
     * @param {object} args
     */
    call: (name, args) => request("tools/call", { name, arguments: args }),
    async close() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}
