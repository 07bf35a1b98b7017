// @ts-check
/** Reads CPU profiles and prints the functions with the most self time. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * @typedef {object} Profile as V8 writes it
 * @property {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[]} nodes
 * @property {number[]} samples
 * @property {number[]} timeDeltas µs
 */

/**
 * @param {string} dir folder of .cpuprofile files
 * @param {string} benchmark
 */
export function summarise(dir, benchmark, most = 30) {
  return readdirSync(dir)
    .filter((file) => file.startsWith(`${benchmark}-`))
    .map((file) => [join(dir, file), ...longest(join(dir, file), most)].join("\n"))
    .join("\n\n");
}

/**
 * @param {string} file
 * @param {number} most
 */
function longest(file, most) {
  /** @type {Profile} */
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  /** @type {Map<string, number>} */
  const times = new Map();
  samples.forEach((id, at) => {
    const place = places.get(id) ?? "";
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[at] ?? 0));
  });
  times.delete("(idle)");
  const whole = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([place, time]) => `${((time / whole) * 100).toFixed(1).padStart(6)} %  ${place}`);
}

/** @param {Profile["nodes"][number]["callFrame"]} frame */
function placeOf({ functionName, url, lineNumber }) {
  return url === "" ? functionName : `${functionName || "(anonymous)"} ${basename(url)}:${lineNumber + 1}`;
}
