// @ts-check
/** Decides which test files run for a change, and in which order: the nearest first. Pure. */

/**
 * @typedef {import("./find-sites.mjs").Site} Site
 * @typedef {{ file: string, seconds: number }} TestFile
 */

/**
 * Returns true for sources and tests of the page. Probes can't write files in a browser, so all tests of the page run
 * for a change of its sources.
 * @param {string} file
 */
export function isWeb(file) {
  return file.startsWith("packages/web/");
}

/**
 * Returns the steps in which the test files run: those of the same name, those of the folder, the others of the
 * package, and those of other packages. Within a step, the fast files come first.
 * @param {Site} site
 * @param {readonly TestFile[]} tests
 * @param {ReadonlySet<string> | undefined} reachedBy the test files that reach the site
 * @returns {TestFile[][]}
 */
export function testSteps({ file }, tests, reachedBy = new Set()) {
  const [, name = "", path = ""] = /^packages\/([^/]+)\/src\/(.*)$/.exec(file) ?? [];
  const folder = path.split("/").slice(0, -1);
  const base = path.replace(/^.*\//, "").replace(/\.tsx?$/, "");
  const own = `packages/${name}/test/`;
  const relevant = tests.filter((test) =>
    isWeb(file) ? isWeb(test.file) : reachedBy.has("*") || reachedBy.has(test.file),
  );
  const rank = (/** @type {TestFile} */ test) => {
    if (!test.file.startsWith(own)) return 3;
    const inPackage = test.file.slice(own.length);
    if (inPackage.includes(stem(base))) return 0;
    return inPackage.startsWith([...folder, ""].join("/")) || inPackage.includes(stem(folder[0] ?? base)) ? 1 : 2;
  };
  return [0, 1, 2, 3]
    .map((step) => relevant.filter((test) => rank(test) === step).toSorted((one, other) => one.seconds - other.seconds))
    .filter((step) => step.length > 0);
}

/**
 * Drops the plural s, so that `apps` matches `app-links`.
 * @param {string} name
 */
function stem(name) {
  return name.replace(/s$/, "");
}
