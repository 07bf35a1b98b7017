// @ts-check
/**
 * Builds the page with Vite, compresses its files, and puts them beside the bundles of the daemon and the command, which
 * serve them. Does nothing if no input has changed.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { bundledLicenses } from "./bundled-licenses.mjs";
import { root } from "./run.mjs";

const web = join(root, "packages/web");
const outDir = join(web, "dist/bundle");
const TARGETS = ["packages/daemon/dist/bundle/page", "packages/cli/dist/bundle/page"].map((path) => join(root, path));
const STAMP = "build-hash";

/** Returns a hash of all inputs. */
export async function bundlePage() {
  const hash = inputHash();
  if (readStamp(outDir) !== hash) {
    await buildPage();
    compressFiles();
    writeFileSync(join(outDir, STAMP), hash);
  }
  for (const target of TARGETS) {
    if (readStamp(target) === hash) continue;
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    cpSync(outDir, target, { recursive: true });
  }
  return hash;
}

async function buildPage() {
  const { version } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  const result = await build({
    root: web,
    configFile: false,
    logLevel: "warn",
    base: "./",
    build: {
      outDir,
      emptyOutDir: true,
      // A script or an image in the HTML or CSS would need an exception of the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: "es2023",
      sourcemap: false,
      chunkSizeWarningLimit: 1000,
    },
    define: { PLUGBOARD_VERSION: JSON.stringify(version) },
  });
  const outputs = [result].flat().flatMap((one) => ("output" in one ? one.output : []));
  const chunks = outputs.filter((file) => file.type === "chunk");
  for (const { fileName, code } of bundledLicenses(chunks)) writeFileSync(join(outDir, fileName), code);
}

/** Compresses once at build time with the highest level, instead of for each request. */
function compressFiles() {
  for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
    if (!/\.(?:html|js|css|svg)$/.test(name)) continue;
    const content = readFileSync(join(outDir, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(outDir, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}

function inputHash() {
  const hash = createHash("sha256");
  const add = (/** @type {string} */ file) => hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  for (const file of ["packages/web/index.html", "package-lock.json", "scripts/bundle-page.mjs"]) add(file);
  for (const folder of ["packages/web/src", "packages/contracts/dist/bundle", "packages/remote/dist/bundle"]) {
    const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.toSorted()) add(relative(root, file));
  }
  return hash.digest("hex");
}

/** @param {string} folder */
function readStamp(folder) {
  const file = join(folder, STAMP);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
