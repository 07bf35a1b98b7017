// @ts-check
/** Packs the published packages, as `npm publish` would. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../run.mjs";

/** @typedef {{ folder: string, name: string, tarball: string, files: string[] }} PackedPackage */

/**
 * @param {string} destination the folder for the tarballs
 * @param {readonly string[]} [folders] the packages by the names of their folders, by default all published ones
 * @returns {Promise<PackedPackage[]>}
 */
export async function packPackages(destination, folders = publishedPackages()) {
  const workspaces = folders.map((folder) => `--workspace=packages/${folder}`);
  const args = ["pack", "--json", "--ignore-scripts", `--pack-destination=${destination}`, ...workspaces];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { stdout } = await promisify(execFile)(npm, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  /** @type {{ name: string, filename: string, files: { path: string }[] }[]} */
  const packed = JSON.parse(stdout);
  return packed.map(({ name, filename, files }, index) => ({
    folder: join(root, "packages", folders[index] ?? ""),
    name,
    tarball: join(destination, filename),
    files: files.map(({ path }) => path),
  }));
}

/** Returns the folders of the packages that are not private. */
export function publishedPackages() {
  return readdirSync(join(root, "packages")).filter((folder) => {
    const manifest = join(root, "packages", folder, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).private !== true;
  });
}
