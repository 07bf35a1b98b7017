// @ts-check
/**
 * Builds the page and the sandbox of MCP Apps with Vite, compresses their files, and puts them beside the bundles of the
 * daemon and the command, which serve them. Does nothing if no input has changed.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { bundledLicenses } from "./bundled-licenses.mjs";
import { root } from "../run.mjs";

const web = join(root, "packages/web");
const outDir = join(web, "dist/bundle");
/** Each document has a folder of its own, because it is served on an origin of its own. */
const DOCUMENTS = { page: "index.html", sandbox: "sandbox.html" };
const TARGETS = ["packages/daemon/dist/bundle", "packages/cli/dist/bundle"].map((path) => join(root, path));
const STAMP = "build-hash";

/** Returns a hash of all inputs. */
export async function bundlePage() {
  const hash = inputHash();
  for (const [folder, document] of Object.entries(DOCUMENTS)) {
    const built = join(outDir, folder);
    if (readStamp(built) !== hash) {
      await buildDocument(document, built);
      compressFiles(built);
      writeFileSync(join(built, STAMP), hash);
    }
    for (const target of TARGETS) {
      const copy = join(target, folder);
      if (readStamp(copy) === hash) continue;
      rmSync(copy, { recursive: true, force: true });
      mkdirSync(copy, { recursive: true });
      cpSync(built, copy, { recursive: true });
    }
  }
  return hash;
}

/** @param {string} document @param {string} built */
async function buildDocument(document, built) {
  const { version } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  const result = await build({
    root: web,
    configFile: false,
    logLevel: "warn",
    base: "./",
    build: {
      outDir: built,
      emptyOutDir: true,
      rolldownOptions: { input: join(web, document) },
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
  for (const { fileName, code } of bundledLicenses(chunks)) writeFileSync(join(built, fileName), code);
}

/**
 * Compresses once at build time with the highest level, instead of for each request.
 * @param {string} built
 */
function compressFiles(built) {
  for (const name of readdirSync(built, { recursive: true, encoding: "utf8" })) {
    if (!/\.(?:html|js|css|svg)$/.test(name)) continue;
    const content = readFileSync(join(built, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(built, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(built, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}

function inputHash() {
  const hash = createHash("sha256");
  const add = (/** @type {string} */ file) => hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  for (const file of [
    "packages/web/index.html",
    "packages/web/sandbox.html",
    "package-lock.json",
    "scripts/build/bundle-page.mjs",
  ])
    add(file);
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
