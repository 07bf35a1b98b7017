// @ts-check
/**
 * Bundles the modules of each library package into few files, `dist/bundle`, because the number of modules determines
 * how long Node takes to start. Modules with dynamic imports stay separate. A bundle contains no other workspace
 * package: all packages must share one copy of `contracts`, or `instanceof HostError` would fail.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { isProgram, root } from "./run.mjs";

const TARGET = "./dist/bundle/";

/** Third-party packages that are bundled, because finding their modules takes longer than running them. */
const BUNDLED_PACKAGES = new Set(["jsonc-parser", "zod"]);

/** Returns the exit status. */
export async function bundle() {
  for (const name of readdirSync(join(root, "packages"))) {
    const folder = join(root, "packages", name);
    if (!existsSync(join(folder, "package.json"))) continue;
    const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const input = exportedEntries(exports);
    if (Object.keys(input).length > 0) await bundlePackage(folder, { ...input, ...workerEntries(folder) });
  }
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
 * Finds the worker threads of a package, which it starts by `new URL("./x.js", import.meta.url)`. Each is an entry of its own.
 * @param {string} folder
 */
function workerEntries(folder) {
  const modules = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".js") && !name.startsWith("bundle"),
  );
  return Object.fromEntries(
    modules.flatMap((name) => {
      const found = readFileSync(join(folder, "dist", name), "utf8").match(
        /(?<=new URL\("\.\/)[\w-]+(?=\.js", import\.meta\.url)/,
      );
      return found ? [[found[0], `./${join("dist", dirname(name), `${found[0]}.js`)}`]] : [];
    }),
  );
}

/**
 * @param {string} folder
 * @param {{ [name: string]: string }} input
 */
async function bundlePackage(folder, input) {
  const resolve = { mainFields: ["module", "main"] };
  const build = await rolldown({ cwd: folder, input, platform: "node", external, resolve, treeshake: true });
  const { output } = await build.generate({ entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
  await build.close();
  writeChangedFiles(
    join(folder, TARGET),
    output.filter((file) => file.type === "chunk"),
  );
}

/**
 * Replaces only changed files, and removes old ones. Writes imported files before the entries that import them, because a
 * program may be loading the bundle.
 * @param {string} dir
 * @param {readonly { fileName: string, code: string, isEntry: boolean }[]} files
 */
function writeChangedFiles(dir, files) {
  mkdirSync(dir, { recursive: true });
  for (const { fileName, code } of files.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry))) {
    const path = join(dir, fileName);
    if (existsSync(path) && readFileSync(path, "utf8") === code) continue;
    writeFileSync(`${path}.${process.pid}`, code);
    renameSync(`${path}.${process.pid}`, path);
  }
  const names = new Set(files.map(({ fileName }) => fileName));
  for (const name of readdirSync(dir)) {
    if (name.endsWith(".js") && !names.has(name)) rmSync(join(dir, name), { force: true });
  }
}

/** @param {string} id */
function external(id) {
  return /^[^./]/.test(id) && !BUNDLED_PACKAGES.has(id.split("/", 1)[0] ?? "");
}

if (isProgram(import.meta.url)) process.exitCode = await bundle();
