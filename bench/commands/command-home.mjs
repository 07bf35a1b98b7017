// @ts-check
/** Makes an empty home folder in which a command is measured. Commands that need Node run on the current one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { emptyHome } from "../contestants/empty-home.mjs";

/**
 * @typedef {{ readonly [id: string]: { readonly command: string, readonly args: readonly string[] } }} Servers
 * @typedef {ReturnType<typeof commandHome>} CommandHome
 */

const SERVER = fileURLToPath(new URL("../servers/counted-stdio.mjs", import.meta.url));

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};

/** @param {string} serverNode the Node that the servers run on */
export function commandHome(serverNode) {
  const { options, remove } = emptyHome();
  const { cwd, env } = options;
  const starts = join(cwd, "starts.txt");
  writeFileSync(starts, "");
  /**
   * @param {string} program
   * @param {readonly string[]} args
   */
  const run = (program, ...args) => spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  /** @param {readonly string[]} args */
  const node = (...args) => run(process.execPath, ...args);

  /**
   * Starts a command that keeps running. The command ends with this process at the latest.
   * @param {readonly string[]} args
   */
  const start = (...args) => watch(node(...args));

  /** @param {ReturnType<typeof node>} child */
  function watch(child) {
    child.stderr.resume();
    const kill = () => child.kill();
    process.once("exit", kill);
    const exited = once(child, "exit").finally(() => process.off("exit", kill));
    return { child, exited };
  }

  /** @param {ReturnType<typeof watch>} started */
  function stoppable({ child, exited }) {
    const stop = () => {
      child.kill();
      return exited;
    };
    return { child, stop };
  }

  return {
    folder: cwd,
    /** The command line of the server that every benchmark calls. */
    server: { command: serverNode, args: [SERVER, starts] },
    /** Returns how many servers have been started. */
    serversStarted: () => readFileSync(starts, "utf8").split("\n").length - 1,
    /**
     * @param {string} file relative to the home
     * @param {unknown} content
     */
    write(file, content) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), JSON.stringify(content));
    },
    /**
     * Runs a command to its end and returns what it prints.
     * @param {readonly string[]} args
     */
    async run(...args) {
      const child = node(...args);
      child.stdin.end();
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      if (code !== 0) throw new Error(`it ended with ${code}: ${err.trim()}`);
      return out;
    },
    /**
     * Starts a command that keeps running.
     * @param {readonly string[]} args
     */
    keep: (...args) => stoppable(start(...args)),
    /**
     * Starts a program that keeps running and needs no Node.
     * @param {string} program
     * @param {readonly string[]} args
     */
    keepProgram: (program, ...args) => stoppable(watch(run(program, ...args))),
    /**
     * Starts a command that keeps running. Resolves at its first output with a function that stops the command.
     * @param {readonly string[]} args
     */
    async runOn(...args) {
      const { child, exited } = start(...args);
      const [first] = await Promise.race([once(child.stdout, "data"), exited]);
      if (!Buffer.isBuffer(first)) throw new Error(`it ended with ${first}`);
      child.stdout.resume();
      return () => {
        child.kill();
        return exited;
      };
    },
    /**
     * Starts a command that serves MCP over stdio, and resolves when it has answered `initialize`.
     * @param {readonly string[]} args
     * @returns {Promise<import("./command.mjs").Bridge>}
     */
    async initialize(...args) {
      const { child, exited } = start(...args);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE })}\n`);
      const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exited]);
      if (typeof line !== "string") throw new Error(`it ended with ${line}`);
      return {
        answer: JSON.parse(line),
        close() {
          child.stdin.end();
          return exited;
        },
      };
    },
    /**
     * Starts a command in a pseudo-terminal, and resolves when it has shown the text.
     * @param {string} expected
     * @param {readonly string[]} args
     * @returns {Promise<import("./command.mjs").Bridge>}
     */
    show(expected, ...args) {
      const terminal = spawnInTerminal(process.execPath, [...args], {
        cwd,
        env: { ...env, TERM: "xterm-256color" },
        cols: 80,
        rows: 24,
      });
      const kill = () => terminal.kill();
      process.once("exit", kill);
      const exited = new Promise((resolve) => terminal.onExit(resolve)).finally(() => process.off("exit", kill));
      return new Promise((resolve, reject) => {
        let shown = "";
        terminal.onData((piece) => {
          shown += piece;
          if (!shown.includes(expected)) return;
          resolve({
            answer: expected,
            close() {
              kill();
              return exited;
            },
          });
        });
        void exited.then(() => reject(new Error(`it ended before it had shown ${expected}: ${shown.trim()}`)));
      });
    },
    remove,
  };
}
