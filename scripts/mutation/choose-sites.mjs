// @ts-check
/** Orders sites by a seed, so that the same seed gives the same sites on every machine. Pure. */
import { createHash } from "node:crypto";
import { KINDS } from "./find-sites.mjs";

/** @typedef {import("./find-sites.mjs").Site} Site */

/**
 * Returns the sites in the order in which they are tried. The kinds take turns, and each line occurs at most once.
 * @param {readonly Site[]} sites
 * @param {string} seed
 * @returns {Site[]}
 */
export function orderSites(sites, seed) {
  const shuffled = sites
    .map((site) => ({ site, place: place(seed, site) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .map(({ site }) => site);
  const queues = KINDS.map((kind) => shuffled.filter((site) => site.kind === kind));
  /** @type {Set<string>} */
  const lines = new Set();
  /** @type {Site[]} */
  const ordered = [];
  while (queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const site = takeFresh(queue, lines);
      if (site !== undefined) ordered.push(site);
    }
  }
  return ordered;
}

/**
 * Takes the first site whose line is not used yet.
 * @param {Site[]} queue
 * @param {Set<string>} lines
 */
function takeFresh(queue, lines) {
  for (let site = queue.shift(); site !== undefined; site = queue.shift()) {
    const line = `${site.file}:${site.line}`;
    if (lines.has(line)) continue;
    lines.add(line);
    return site;
  }
  return undefined;
}

/**
 * @param {string} seed
 * @param {Site} site
 */
function place(seed, { file, start, kind }) {
  return createHash("sha256").update(`${seed}\n${file}\n${start}\n${kind}`).digest("hex");
}
