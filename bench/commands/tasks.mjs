// @ts-check
/** The tasks that a command is measured with, and the checks of its answers. Each task returns the answer. */
import { isDeepStrictEqual } from "node:util";
import { checkText } from "../workloads/workload.mjs";

/**
 * @typedef {import("./command.mjs").Command} Command
 * @typedef {"version" | "list" | "cold-call" | "warm-call" | "bridge" | "chat"} TaskName
 *
 * @typedef {object} Task
 * @property {boolean} [keepsOpen] whether the connection to the server is opened before the measurement
 * @property {number} starts how many servers the task must start each time
 * @property {(command: Command, home: import("./command.mjs").CommandHome, text: string) => Promise<Used>} act
 * @property {(answer: any, expected: Expected) => void} check throws if the answer is wrong
 *
 * @typedef {{ readonly answer: unknown, readonly close?: () => Promise<unknown> }} Used
 * @typedef {{ readonly text: string, readonly ids: readonly string[], readonly version: string | undefined }} Expected
 */

/** @type {{ readonly [T in TaskName]: Task }} */
export const TASKS = {
  version: {
    starts: 0,
    act: async ({ printVersion = missing }, home) => ({ answer: await printVersion(home) }),
    check: (answer, { version }) => checkEqual(answer.trim(), version),
  },
  list: {
    starts: 0,
    act: async ({ listServers = missing }, home) => ({ answer: await listServers(home) }),
    check: (answer, { ids }) => checkEqual(answer, ids),
  },
  "cold-call": {
    starts: 1,
    act: async ({ call = missing }, home, text) => ({ answer: await call(home, text) }),
    check: (answer, { text }) => checkText(answer, text),
  },
  "warm-call": {
    keepsOpen: true,
    starts: 0,
    act: async ({ callOpen = missing }, home, text) => ({ answer: await callOpen(home, text) }),
    check: (answer, { text }) => checkText(answer, text),
  },
  bridge: {
    keepsOpen: true,
    starts: 0,
    act: ({ openBridge = missing }, home) => openBridge(home),
    check: ({ id, result }) => checkEqual([id, result?.protocolVersion], [1, "2025-11-25"]),
  },
  chat: {
    keepsOpen: true,
    starts: 0,
    act: ({ openChat = missing }, home) => openChat(home),
    check: (answer) => checkEqual(answer, "Ask something"),
  },
};

/**
 * Throws if the answer is wrong, or if the command has started more or fewer servers than its task needs. So a
 * warm call must not start a server, and a cold call must not use an open connection.
 * @param {TaskName} name
 * @param {Command} command
 * @param {{ answer: unknown, text: string, ids: readonly string[], serversStarted: number }} used
 */
export function checkUse(name, { silent = false, version }, { answer, serversStarted, ...expected }) {
  const { starts, check } = TASKS[name];
  if (silent) checkEqual(answer, "");
  else check(answer, { ...expected, version });
  if (serversStarted !== (silent ? 0 : starts)) throw new Error(`the command has started ${serversStarted} servers`);
}

/**
 * @param {unknown} answer
 * @param {unknown} expected
 */
function checkEqual(answer, expected) {
  if (!isDeepStrictEqual(answer, expected)) throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
}

/** @returns {never} */
function missing() {
  throw new Error("the command can't do this task");
}
