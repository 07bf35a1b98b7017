/** Finds a package where npx finds it without a download: in the folders above, or in the cache of npx. */
import { readFile, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Env } from "@plugboard/contracts";
import type { NpxPackage } from "./npx-package.ts";
import { readPackage } from "./read-package.ts";
import type { PackageFacts } from "./read-package.ts";

/** Returns undefined if npx would have to download the package. Does not look for globally installed packages. */
export async function findInstalledPackage(
  { name, version }: NpxPackage,
  cwd: string,
  env: Env,
): Promise<PackageFacts | undefined> {
  const cache = join(npmCache(env), "_npx");
  const cached = await readdir(cache).catch(() => []);
  const folders = [...parentsOf(cwd), ...cached.map((entry) => join(cache, entry))];
  for (const folder of folders) {
    const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8").catch(() => undefined);
    const found = text === undefined ? undefined : readPackage(text);
    if (found && (version === undefined || found.version === version)) return found;
  }
  return undefined;
}

function npmCache(env: Env): string {
  const given = env["npm_config_cache"] ?? env["NPM_CONFIG_CACHE"];
  if (given) return given;
  const home = env["HOME"] ?? homedir();
  return process.platform === "win32" ? join(env["LOCALAPPDATA"] ?? home, "npm-cache") : join(home, ".npm");
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}
