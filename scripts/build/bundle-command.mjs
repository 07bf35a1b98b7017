// @ts-check
/**
 * Bundles the `plugboard` command with all workspace packages and almost all third-party packages into
 * packages/cli/dist/bundle. Modules with dynamic imports stay separate files, so that a command loads only what it
 * uses.
 *
 * The files are CommonJS modules, which Node 20 loads in half the time of ES modules.
 */
import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { bundledLicenses } from "./bundled-licenses.mjs";
import { workerEntries, writeChangedFiles } from "./bundle-files.mjs";
import { directImports, packageModule } from "./direct-imports.mjs";
import { root } from "../run.mjs";

const folder = join(root, "packages/cli");

/**
 * Packages that are not bundled: the first is native, the second belongs to the user's program, and the SDKs of model
 * providers contain a package without a license text.
 */
const EXTERNAL_PACKAGES = [
  "@napi-rs/keyring",
  "@opentelemetry/api",
  "@ai-sdk/anthropic",
  "@ai-sdk/openai",
  "@ai-sdk/openai-compatible",
];

/**
 * The stages in which a command loads its code. A file contains the modules of its stage with everything that they
 * import, except the modules of earlier stages.
 */
const STAGES = [
  {
    name: "start",
    test: /\/(?:cli\/dist\/(?:main|workspace\/workspace-spec)|store\/dist\/state\/state-path|config\/dist\/resolve\/path-variables)\.js$/,
  },
  { name: "list", test: /\/cli\/dist\/commands\/servers\/show-server-list\.js$/ },
  { name: "workspace", test: /\/cli\/dist\/workspace\/with-workspace\.js$/ },
  { name: "call", test: /\/cli\/dist\/commands\/tools\/call-tool\.js$/ },
  { name: "stdio", test: /\/cli\/dist\/commands\/hosting\/bridge-stdio\.js$/ },
  { name: "files", test: /\/config\/dist\/resolve\/referenced-env\.js$/ },
  { name: "config", test: /\/config\/dist\/read\/read-config\.js$/ },
  { name: "static-list", test: /\/host\/dist\/offline\/list-servers\.js$/ },
  { name: "processes", test: /\/host\/dist\/core\/(?:host-base|start-ahead)\.js$/ },
  { name: "zod", test: /\/node_modules\/zod\// },
  { name: "ajv", test: /\/node_modules\/ajv(?:-formats)?\// },
  // The rest: modules that are used by the same commands share a file. Small files are merged.
  { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 2_000 },
];

/** Resolves a workspace package to its modules before bundling. @type {import("rolldown").Plugin} */
const workspacePackages = { name: "workspace-packages", resolveId: (id) => packageModule(id) ?? null };

/**
 * @param {readonly string[]} packages the folders of all packages
 * @param {string} pageHash identifies the page that the command serves
 */
export async function bundleCommand(packages, pageHash) {
  const build = await rolldown({
    cwd: folder,
    input: { main: "./dist/main.js", ...Object.assign({}, ...packages.map(workerEntries)) },
    platform: "node",
    plugins: [directImports(), workspacePackages],
    external: (id) => isBuiltin(id) || EXTERNAL_PACKAGES.includes(id),
    resolve: { mainFields: ["module", "main"] },
    treeshake: true,
    // Not worth a warning: a module that is imported on first use may be in a file that is already loaded.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.generate({
    format: "cjs",
    esModule: false,
    // `import()` does not work in code that bin/load-bundle.js loads.
    dynamicImportInCjs: false,
    entryFileNames: "[name].js",
    chunkFileNames: ({ name }) => `${name.split("~")[0]}-[hash].js`,
    // Node compiles the text at each start, in a time that depends on its length.
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups: STAGES.map((modules, stage) => ({ ...modules, priority: STAGES.length - stage })) },
  });
  await build.close();
  const manifest = { fileName: "package.json", code: '{ "type": "commonjs" }\n', isEntry: false };
  const chunks = output.filter((file) => file.type === "chunk");
  checkStages(chunks);
  const files = [manifest, ...bundledLicenses(chunks), ...chunks, buildId(chunks, pageHash)];
  writeChangedFiles(join(folder, "dist/bundle"), files);
}

/**
 * Throws if a stage has no module, which happens when a file is renamed.
 * @param {readonly { moduleIds: readonly string[] }[]} chunks
 */
function checkStages(chunks) {
  for (const { name, test } of STAGES) {
    if (test && !chunks.some(({ moduleIds }) => moduleIds.some((id) => test.test(id))))
      throw new Error(`scripts/build/bundle-command.mjs: the stage "${name}" has no module`);
  }
}

/**
 * Returns the file with a hash of all code. A command compares the hash with the one of the running host.
 * @param {readonly { fileName: string, code: string }[]} chunks
 * @param {string} pageHash
 */
function buildId(chunks, pageHash) {
  const hash = createHash("sha256").update(pageHash);
  for (const { fileName, code } of chunks.toSorted((a, b) => (a.fileName < b.fileName ? -1 : 1))) {
    hash.update(`${fileName}\0${code}\0`);
  }
  return { fileName: "build-id", code: `${hash.digest("hex").slice(0, 12)}\n`, isEntry: false };
}
