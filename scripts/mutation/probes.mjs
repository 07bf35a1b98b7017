// @ts-check
/**
 * Inserts a probe at each site. The probe records which test files reach the site. Only a test that reaches a site can
 * notice a change there, so the other tests do not run for that change.
 */

/**
 * @typedef {import("./find-sites.mjs").Site} Site
 * @typedef {Map<number, Set<string>>} Reached the test files that reach a site, by its number. `*` is an unknown test file.
 */

/**
 * @param {string} source
 * @param {readonly { site: Site, number: number }[]} probed the sites of this file
 * @param {string} folder in which the probes write
 */
export function insertProbes(source, probed, folder) {
  const ordered = probed.toSorted((one, other) => one.site.start - other.site.start);
  /** @type {{ at: number, text: string }[]} */
  const insertions = ordered.flatMap(({ site: { start, end, kind }, number }) =>
    kind === "dropped call"
      ? [
          { at: start, text: `{ __reached(${number}); ` },
          { at: end, text: " }" },
        ]
      : [
          { at: start, text: `(__reached(${number}), ` },
          { at: end, text: ")" },
        ],
  );
  // Inserts from the last to the first, so that the offsets of earlier insertions stay valid.
  const probedSource = insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, text: inserted }) => text.slice(0, at) + inserted + text.slice(at), source);
  return probedSource + helper(folder);
}

/**
 * Returns the code that the probes call. A process that runs a test file knows its name. A process that a test has
 * started finds the name through its parent processes.
 * @param {string} folder
 */
function helper(folder) {
  return `
import { appendFileSync as __append, readFileSync as __read } from "node:fs";
// A site may be reached while the module is evaluated, before its last lines, so this is no const.
var __seen: Set<string> | undefined;
function __testFile(): string {
  const own = (globalThis as any).__plugboardTestFile;
  if (own !== undefined) return own;
  try {
    for (let pid = process.ppid; pid > 1; pid = Number(/\\) \\w (\\d+)/.exec(__read("/proc/" + pid + "/stat", "utf8"))![1])) {
      try {
        return ((globalThis as any).__plugboardTestFile = __read(${JSON.stringify(folder)} + "/process-" + pid, "utf8"));
      } catch {}
    }
  } catch {}
  return "*";
}
function __reached(site: number): void {
  const line = site + " " + __testFile() + "\\n";
  __seen ??= new Set();
  if (__seen.has(line)) return;
  __seen.add(line);
  __append(${JSON.stringify(folder)} + "/reached", line);
}
`;
}

/**
 * @param {string} text the lines that the probes have written
 * @returns {Reached}
 */
export function readReached(text) {
  /** @type {Reached} */
  const reached = new Map();
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const space = line.indexOf(" ");
    const number = Number(line.slice(0, space));
    reached.set(number, (reached.get(number) ?? new Set()).add(line.slice(space + 1)));
  }
  return reached;
}
