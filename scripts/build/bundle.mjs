// @ts-check
/**
 * Bundles the modules of each library package into few files, `dist/bundle`, because the number of modules determines
 * how long Node takes to start. Modules with dynamic imports stay separate. A bundle contains no other workspace
 * package, because all packages must share one copy of `contracts`: with two copies, `instanceof HostError` would fail.
 * Only the bundle of the host contains other packages: what it uses of store and config.
 * The command has a bundle of its own, see `bundle-command.mjs`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { bundleCommand } from "./bundle-command.mjs";
import { bundlePage } from "./bundle-page.mjs";
import { bundledLicenses } from "./bundled-licenses.mjs";
import { directImports } from "./direct-imports.mjs";
import { workerEntries, writeChangedFiles } from "./bundle-files.mjs";
import { isProgram, root } from "../run.mjs";

const TARGET = "./dist/bundle/";

/** Third-party packages that are bundled, because finding their modules takes longer than running them. */
const BUNDLED_PACKAGES = new Set(["jsonc-parser", "zod"]);

/**
 * The stages in which a program loads a host: with the library, before the servers start, and while they start. A file
 * contains the modules of its stage with everything that they import, except the modules of earlier stages.
 */
const STAGES = [
  { name: "library", test: /\/host\/dist\/index\.js$/ },
  { name: "base", test: /\/host\/dist\/library\/begin-host\.js$/ },
  { name: "host", test: /\/host\/dist\/library\/create-host\.js$/ },
];

/** Returns the exit status. */
export async function bundle() {
  const folders = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
  const packages = folders.filter((folder) => existsSync(join(folder, "package.json")));
  for (const folder of packages) {
    const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const input = exportedEntries(exports);
    if (Object.keys(input).length > 0) await bundlePackage(folder, { ...input, ...workerEntries(folder) });
  }
  await bundleCommand(packages, await bundlePage());
  return 0;
}

/**
 * Returns the entries by name. The export `dist/bundle/process.js` is built from the module that its `types` describe,
 * such as `dist/process/index.js`.
 * @param {{ [path: string]: string | { types: string, default?: string } }} exports
 */
function exportedEntries(exports) {
  /** @type {{ [name: string]: string }} */
  const entries = {};
  for (const exported of Object.values(exports)) {
    if (typeof exported === "string" || !exported.default?.startsWith(TARGET)) continue;
    entries[basename(exported.default, ".js")] = exported.types.replace(/\.d\.ts$/, ".js");
  }
  return entries;
}

/**
 * @param {string} folder
 * @param {{ [name: string]: string }} input
 */
async function bundlePackage(folder, input) {
  const resolve = { mainFields: ["module", "main"] };
  const plugins = basename(folder) === "host" ? [directImports(isInHost)] : [];
  const build = await rolldown({ cwd: folder, input, platform: "node", plugins, external, resolve, treeshake: true });
  const { output } = await build.generate({
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Node compiles the text at each start, in a time that depends on its length. The names stay, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups: STAGES.map((modules, stage) => ({ ...modules, priority: STAGES.length - stage })) },
  });
  await build.close();
  const chunks = output.filter((file) => file.type === "chunk");
  writeChangedFiles(join(folder, TARGET), [...bundledLicenses(chunks), ...chunks]);
}

/**
 * Returns true for packages whose modules the bundle of the host contains. A program waits for them before its servers
 * start (bench row `host-connect-1`).
 * @param {string} specifier
 */
function isInHost(specifier) {
  return /^@plugboard\/(?:store|config)(?:\/|$)/.test(specifier);
}

/** @param {string} id */
function external(id) {
  return /^[^./]/.test(id) && !BUNDLED_PACKAGES.has(id.split("/", 1)[0] ?? "");
}

if (isProgram(import.meta.url)) process.exitCode = await bundle();
