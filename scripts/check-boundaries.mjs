// @ts-check
/**
 * Checks that imports between packages, and between the layers of a package, follow boundaries.json.
 *
 *   folders      what the files of a folder may import besides each other; the deepest matching folder counts.
 *                "node" is every builtin, "npm" every third-party package (knip checks that it is declared)
 *   layers       sibling folders that a folder may not import
 *   reserved     modules that only the listed folders may import
 *   bannedNames  names that avoid an import statement, and must not occur in the source
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { moduleReferences } from "./module-references.mjs";
import { isProgram, root } from "./run.mjs";

/**
 * @typedef {object} Boundaries
 * @property {Record<string, string[]>} folders
 * @property {Record<string, { not: string[] }>} layers
 * @property {Record<string, string[]>} reserved
 * @property {string[]} bannedNames
 */

/**
 * @param {string} tree the folder that holds packages/
 * @param {Boundaries} boundaries
 * @returns {{ files: number, violations: string[] }}
 */
export function checkBoundaries(tree, boundaries) {
  const files = sources(tree);
  const violations = files.flatMap((file) => {
    const folder = deepest(Object.keys(boundaries.folders), file);
    if (folder === undefined) return [`${file}: no rule in boundaries.json covers this file`];
    const { errors, references, mentions } = moduleReferences(file, readFileSync(join(tree, file), "utf8"));
    return [
      ...errors.map((error) => `${file}: ${error}`),
      ...references.flatMap(({ line, specifier }) => {
        const reason = refusal(file, folder, specifier, boundaries);
        return reason === undefined ? [] : [`${file}:${line}: ${reason}`];
      }),
      ...mentions
        .filter(({ name }) => boundaries.bannedNames.includes(name))
        .map(({ line, name }) => `${file}:${line}: "${name}" is banned`),
    ];
  });
  return { files: files.length, violations };
}

/**
 * Returns why a file may not import this, or undefined if it may.
 * @param {string} file
 * @param {string} folder the key of the rule for this file
 * @param {string | undefined} specifier
 * @param {Boundaries} boundaries
 */
function refusal(file, folder, specifier, boundaries) {
  if (specifier === undefined) return "a computed import can't be checked; use a literal module name";
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return relativeRefusal(file, specifier, boundaries.layers);
  if (specifier.startsWith("#")) return `"${specifier}" is for tests; sources import their own files by relative path`;

  const name = isBuiltin(specifier) ? `node:${specifier.replace(/^node:/, "")}` : specifier;
  for (const [module, folders] of Object.entries(boundaries.reserved)) {
    if (within(name, module) && !folders.some((only) => within(file, only))) {
      return `"${name}" is reserved for ${folders.join(", ")}`;
    }
  }
  const allowed = boundaries.folders[folder] ?? [];
  const permitted =
    allowed.some((entry) => within(name, entry)) ||
    (name.startsWith("node:") && allowed.includes("node")) ||
    (isThirdParty(name) && allowed.includes("npm"));
  return permitted ? undefined : `may not import "${name}"; ${folder} may import: ${allowed.join(", ") || "nothing"}`;
}

/**
 * @param {string} file
 * @param {string} specifier
 * @param {Boundaries["layers"]} layers
 */
function relativeRefusal(file, specifier, layers) {
  const source = file.split("/").slice(0, 3).join("/");
  const target = posix.join(posix.dirname(file), specifier);
  if (!within(target, source)) return `"${specifier}" leaves ${source}; import the package by its name`;

  const layer = deepest(Object.keys(layers), file);
  if (layer === undefined) return undefined;
  const parent = posix.dirname(layer);
  const forbidden = layers[layer]?.not.find((sibling) => within(target, posix.join(parent, sibling)));
  if (forbidden !== undefined) return `"${specifier}": ${layer} may not import ${forbidden}`;
  const isIndex = /^(?:index(?:\.\w+)?)?$/.test(posix.relative(parent, target));
  return isIndex ? `"${specifier}": a layer may not import the package's index` : undefined;
}

/**
 * Returns true if the path is this folder or module, or is inside it.
 * @param {string} path
 * @param {string} parent
 */
function within(path, parent) {
  return path === parent || path.startsWith(`${parent}/`);
}

/**
 * @param {readonly string[]} folders
 * @param {string} file
 */
function deepest(folders, file) {
  return folders.filter((folder) => within(file, folder)).toSorted((a, b) => b.length - a.length)[0];
}

/** @param {string} name */
function isThirdParty(name) {
  return /^(?:@[\w.-]+\/)?[\w.-]+(?:\/|$)/.test(name) && !name.startsWith("@plugboard/");
}

/**
 * Lists the source files below packages/<name>/src, with forward slashes.
 * @param {string} tree
 */
function sources(tree) {
  return readdirSync(join(tree, "packages")).flatMap((name) => {
    const folder = join(tree, "packages", name, "src");
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
      .map((file) => posix.join("packages", name, "src", file.replaceAll("\\", "/")));
  });
}

if (isProgram(import.meta.url)) {
  /** @type {Boundaries} */
  const boundaries = JSON.parse(readFileSync(join(root, "boundaries.json"), "utf8"));
  const { files, violations } = checkBoundaries(process.argv[2] ?? root, boundaries);
  for (const violation of violations) console.error(violation);
  console.log(`boundaries: ${files} files, ${violations.length} violations`);
  if (violations.length > 0 || files === 0) process.exitCode = 1;
}
