// @ts-check
/**
 * Installs and builds what is out of date. Uses only Node builtins, so that it works in a fresh clone. Installs with
 * `npm ci`, so a manifest that does not match the lock file is an error.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pruneDist } from "./prune-dist.mjs";
import { isProgram, root, runNpm, runTool } from "../run.mjs";

/** The keys of a manifest that npm reads when it installs. Other changes need no new install. */
const INSTALL_FIELDS = [
  "name",
  "version",
  "workspaces",
  "bin",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
];

/** Returns the exit status. */
export async function prepare() {
  return install() || (await build());
}

function install() {
  const stamp = join(root, "node_modules", ".plugboard-install");
  const currentHash = installHash();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === currentHash) return 0;
  // The compiler is a development dependency, which npm omits if NODE_ENV is production.
  const failed = runNpm(["ci", "--include=dev"]);
  if (!failed) writeFileSync(stamp, currentHash);
  return failed;
}

async function build() {
  const failed = runTool("tsc", ["-b", "packages"]);
  if (failed) return failed;
  pruneDist(join(root, "packages"));
  // Imported here, because the bundler is not installed before `install` has run.
  const { bundle } = await import("./bundle.mjs");
  return bundle();
}

function installHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  hash.update(readFileSync(join(root, "package-lock.json")));
  for (const manifest of manifests()) {
    const content = JSON.parse(readFileSync(manifest, "utf8"));
    hash.update(JSON.stringify(INSTALL_FIELDS.map((field) => content[field] ?? null)));
  }
  return hash.digest("hex");
}

function manifests() {
  const packages = readdirSync(join(root, "packages")).toSorted();
  const candidates = packages.map((name) => join(root, "packages", name, "package.json"));
  return [join(root, "package.json"), ...candidates.filter((file) => existsSync(file))];
}

if (isProgram(import.meta.url)) process.exitCode = await prepare();
