// @ts-check
/**
 * Selects the entrants of a benchmark. An entrant is a contestant together with a version of Node. A peer runs on the
 * current Node if that is new enough for it, otherwise on the newer Node that is installed for such peers. The baseline
 * and Plugboard run on each Node that a peer runs on. Variants of Plugboard run only on the current Node.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CONTESTANTS } from "./contestants/index.mjs";
import { folder, newerNode } from "./install.mjs";
import { root } from "../scripts/run.mjs";

/**
 * @typedef {object} Entrant
 * @property {string} contestant
 * @property {string} title
 * @property {"baseline" | "ours" | "peer"} role
 * @property {string} [version]
 * @property {Node} node
 * @property {string} [checkout] the folder of another checkout, whose Plugboard is measured
 *
 * @typedef {{ readonly version: string, readonly path: string }} Node
 */

/**
 * @param {import("./benchmarks.mjs").Benchmark} benchmark
 * @param {readonly string[]} [checkouts] other checkouts, whose Plugboard takes part as a peer
 * @returns {Entrant[]} the entrants of the current Node first. For each Node, the baseline is the first
 */
export function entrants({ contestants, settings }, checkouts = []) {
  const here = { version: process.version, path: process.execPath };
  const listed = contestants.map((contestant) => {
    const one = CONTESTANTS[contestant];
    if (!one) throw new Error(`no contestant "${contestant}"`);
    return { contestant, ...one };
  });
  const own = listed.filter(({ role }) => role !== "peer");
  // The baseline and Plugboard, without the variants of Plugboard.
  const pair = own.slice(0, 2);
  const peers = listed.filter(({ role }) => role === "peer").map((peer) => ({ ...peer, ...asks(peer.package, here) }));
  const nodes = new Map([here, ...peers.map(({ node }) => node)].map((node) => [node.path, node]));
  // The programs in starts/ always import the packages of this checkout, so they can't measure another one.
  const others = checkouts.flatMap((folder) =>
    own
      .filter(({ role }) => role === "ours" && settings.starts === undefined)
      .map(({ contestant, title }) => ({ contestant, title, role: PEER, node: here, ...otherCheckout(folder) })),
  );
  const entered = [...nodes.values()].flatMap((node) => [
    ...(node === here ? own : pair).map(({ contestant, title, role }) => ({
      contestant,
      title,
      role,
      node,
      ...(role === "ours" && ours()),
    })),
    ...peers
      .filter((peer) => peer.node.path === node.path)
      .map(({ contestant, title, role, version }) => ({ contestant, title, role, version, node })),
  ]);
  return [...entered, ...others];
}

const PEER = /** @type {const} */ ("peer");

/** @param {string} folder */
function otherCheckout(folder) {
  const checkout = resolve(folder);
  const version = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: checkout, encoding: "utf8" }).trim();
  return { checkout, version };
}

function ours() {
  return { version: manifest(join(root, "packages", "mcp")).version };
}

/**
 * Returns the version of a peer, and the Node that it runs on.
 * @param {string | undefined} name
 * @param {Node} here
 */
function asks(name = "", here) {
  const { version, engines } = manifest(join(folder, "node_modules", name));
  const wanted = Number(/^>=\s*(\d+)/.exec(engines?.node ?? "")?.[1] ?? 0);
  return { version, node: major(here.version) >= wanted ? here : newerNode() };
}

/** @param {string} version */
function major(version) {
  return Number.parseInt(version.slice(1), 10);
}

/**
 * @param {string} path
 * @returns {{ version: string, engines?: { node?: string } }}
 */
function manifest(path) {
  return JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
}
