// @ts-check
/**
 * Shared by the workloads: their interface, and the check of a response. A workload exports `begin`, which prepares
 * everything that is not measured.
 *
 * @typedef {import("../contestants/index.mjs").Client} Client
 * @typedef {import("../benchmarks.mjs").Settings} Settings
 *
 * @typedef {object} Begun
 * @property {() => Promise<number>} round returns the sample of one round, in the benchmark's unit
 * @property {() => Promise<unknown>} end
 *
 * @typedef {object} Entry
 * @property {string} contestant
 * @property {string} serverNode the Node that the servers run on
 * @property {() => Promise<Client>} connect
 * @property {(count: number) => Promise<readonly Client[]>} connectAll connects that many servers at once
 *
 * @typedef {(entry: Entry, settings: Settings) => Promise<Begun>} Begin
 */
import { inspect } from "node:util";

/**
 * @param {unknown} result
 * @param {string} text
 */
export function checkText(result, text) {
  const { content } = /** @type {any} */ (result);
  if (content?.length === 1 && content[0].type === "text" && content[0].text === text) return;
  throw new Error(`a wrong answer: ${inspect(result).slice(0, 200)}`);
}

/** @param {Client} client */
export function checkTools({ tools }) {
  const names = tools
    .map(({ name }) => name)
    .toSorted()
    .join(" ");
  if (names !== "bytes echo") throw new Error(`wrong tools: ${names}`);
}
