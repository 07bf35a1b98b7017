// @ts-check
/** Finds the worker threads of a package, and writes the files of a bundle. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Returns the worker threads and helper programs of a package by name. Finds them by the code that starts them,
 * `new URL("./x.js", import.meta.url)`. Each of them is an entry of the bundle.
 * @param {string} folder the folder of the package
 * @returns {{ [name: string]: string }} the paths of the modules
 */
export function workerEntries(folder) {
  const modules = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".js") && !name.startsWith("bundle"),
  );
  return Object.fromEntries(
    modules.flatMap((name) => {
      const found = readFileSync(join(folder, "dist", name), "utf8").match(
        /(?<=new URL\("\.\/)[\w-]+(?=\.js", import\.meta\.url)/,
      );
      return found ? [[found[0], join(folder, "dist", dirname(name), `${found[0]}.js`)]] : [];
    }),
  );
}

/**
 * Replaces only changed files, and removes old ones. Writes imported files before the entries that import them, because
 * a program may be loading the bundle.
 * @param {string} dir
 * @param {readonly { fileName: string, code: string, isEntry: boolean }[]} files
 */
export function writeChangedFiles(dir, files) {
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
