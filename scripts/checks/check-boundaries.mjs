// @ts-check
/**
 * Checks that imports between packages, and between the folders inside a package, follow boundaries.json.
 *
 *   folders      what the sources of a folder may import besides files of their own package. The rule of the deepest
 *                folder applies. "node" is every builtin, "npm" every third-party package (knip checks that it is
 *                declared)
 *   layers       for each package with folders: its folders, and which other folders each of them may import.
 *                Every folder must be listed. The table must have no cycle, also none between the folders directly in
 *                src when each of them stands for its subfolders, too
 *   reserved     modules that only the listed folders may import
 *   bannedNames  functions that import without an import statement; their names may not occur in the sources
 *   reservedNames  patterns of names and strings that occur only in the listed folders and files
 *   reexports    the files that may export names of other Plugboard packages. Elsewhere, the importer names the package
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { moduleReferences } from "./module-references.mjs";
import { isProgram, root } from "../run.mjs";

/** The folders of the testkit need not be listed as layers, because they hold programs that are started alone. */
const TESTKIT = "packages/testkit/src";

/**
 * @typedef {object} Boundaries
 * @property {Record<string, string[]>} folders
 * @property {Record<string, Record<string, string[]>>} layers
 * @property {Record<string, string[]>} reserved
 * @property {string[]} bannedNames
 * @property {Record<string, string[]>} reservedNames
 * @property {string[]} reexports
 */

/**
 * @param {string} tree the folder that holds packages/
 * @param {Boundaries} boundaries
 * @returns {{ files: number, violations: string[] }}
 */
export function checkBoundaries(tree, boundaries) {
  const files = sources(tree);
  const violations = Object.entries(boundaries.layers).flatMap(([source, layers]) => [
    ...layerCycles(source, layers),
    ...layerCycles(source, topFolders(layers)),
  ]);
  for (const file of files) violations.push(...fileViolations(tree, file, boundaries));
  return { files: files.length, violations: [...new Set(violations)] };
}

/**
 * @param {string} tree
 * @param {string} file
 * @param {Boundaries} boundaries
 */
function fileViolations(tree, file, boundaries) {
  const folder = deepest(Object.keys(boundaries.folders), file);
  if (folder === undefined) return [`${file}: no rule in boundaries.json covers this file`];
  const { errors, references, mentions } = moduleReferences(file, readFileSync(join(tree, file), "utf8"));
  return [
    ...unlistedFolder(file, boundaries.layers),
    ...errors.map((error) => `${file}: ${error}`),
    ...references.flatMap(({ line, specifier, isReexport }) => {
      const reason =
        violation(file, folder, specifier, boundaries) ??
        (isReexport ? reexportViolation(file, specifier, boundaries.reexports) : undefined);
      return reason === undefined ? [] : [`${file}:${line}: ${reason}`];
    }),
    ...mentions
      .filter(({ name }) => boundaries.bannedNames.includes(name))
      .map(({ line, name }) => `${file}:${line}: "${name}" is banned`),
    ...Object.entries(boundaries.reservedNames).flatMap(([pattern, folders]) =>
      folders.some((only) => within(file, only))
        ? []
        : mentions
            .filter(({ name }) => new RegExp(`^(?:${pattern})$`).test(name))
            .map(({ line, name }) => `${file}:${line}: "${name}" is reserved for ${folders.join(", ")}`),
    ),
  ];
}

/**
 * Returns why the file may not import this module, or undefined if it may.
 * @param {string} file
 * @param {string} folder the key of the rule for this file
 * @param {string | undefined} specifier
 * @param {Boundaries} boundaries
 */
function violation(file, folder, specifier, boundaries) {
  if (specifier === undefined) return "a computed import can't be checked; use a literal module name";
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return relativeViolation(file, specifier, boundaries.layers);
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
 * @param {string | undefined} specifier
 * @param {readonly string[]} allowed
 */
function reexportViolation(file, specifier, allowed) {
  if (!specifier?.startsWith("@plugboard/") || allowed.includes(file)) return undefined;
  return `exports names of "${specifier}"; import them there`;
}

/**
 * @param {string} file
 * @param {string} specifier
 * @param {Boundaries["layers"]} layers
 */
function relativeViolation(file, specifier, layers) {
  const source = sourceOf(file);
  const target = posix.join(posix.dirname(file), specifier);
  if (!within(target, source)) return `"${specifier}" leaves ${source}; import the package by its name`;

  const table = layers[source];
  const from = table && layerOf(table, source, file);
  if (table === undefined || from === undefined) return undefined;
  const to = layerOf(table, source, target);
  if (to === undefined) return `"${specifier}": a layer may not import the files above it`;
  if (to === from || table[from]?.includes(to)) return undefined;
  return `"${specifier}": ${from} may not import ${to}; it may import: ${table[from]?.join(", ") || "nothing"}`;
}

/**
 * Reports a file whose folder is not listed. Files directly in src are above all layers: they may import every folder.
 * @param {string} file
 * @param {Boundaries["layers"]} layers
 */
function unlistedFolder(file, layers) {
  const source = sourceOf(file);
  const table = layers[source] ?? {};
  if (source === TESTKIT || posix.dirname(file) === source || layerOf(table, source, file) !== undefined) return [];
  return [`${file}: its folder is not listed in the layers of ${source}`];
}

/**
 * @param {string} source
 * @param {Record<string, string[]>} table
 */
function layerCycles(source, table) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {(layer: string, path: readonly string[]) => string[]} */
  const visit = (layer, path) => {
    if (path.includes(layer)) return [`boundaries.json: ${source}: ${[...path, layer].join(" → ")} is a cycle`];
    if (done.has(layer)) return [];
    done.add(layer);
    return (table[layer] ?? []).flatMap((next) => visit(next, [...path, layer]));
  };
  return Object.keys(table).flatMap((layer) => visit(layer, []));
}

/**
 * Returns the table of the folders directly in src.
 * @param {Record<string, string[]>} table
 */
function topFolders(table) {
  const topOf = (/** @type {string} */ layer) => layer.split("/", 1)[0] ?? layer;
  /** @type {Record<string, string[]>} */
  const tops = {};
  for (const [layer, imports] of Object.entries(table)) {
    const top = topOf(layer);
    (tops[top] ??= []).push(...imports.map(topOf).filter((other) => other !== top));
  }
  return tops;
}

/** @param {string} file */
function sourceOf(file) {
  return file.split("/").slice(0, 3).join("/");
}

/**
 * @param {Record<string, string[]>} table
 * @param {string} source
 * @param {string} path
 */
function layerOf(table, source, path) {
  return deepest(Object.keys(table), posix.relative(source, path));
}

/**
 * Returns whether the path is this folder or module, or lies inside it.
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
 * Returns the source files below packages/<name>/src, as paths with forward slashes.
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
