// @ts-check
/**
 * Installs the packages of the long tests, which are not part of the workspace: old servers, peers, other MCP clients,
 * and versions of Node.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runNpm } from "../run.mjs";

/** Returns the exit status. */
export function installLongPackages() {
  const folder = join(root, "packages", "testkit", "long");
  const stamp = join(folder, "node_modules", ".plugboard-install");
  const currentHash = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === currentHash) return 0;
  const failed = runNpm(["ci", "--include=optional"], folder);
  if (!failed) writeFileSync(stamp, currentHash);
  return failed;
}
