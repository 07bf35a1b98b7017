import { homedir } from "node:os";
import { join } from "node:path";
import type { Env } from "@plugboard/contracts";

/** Locates the folder for files that can be made again. `bin/plugboard.js` of the command chooses the same. */
export function cacheFolder(env: Env): string {
  const parent = env["XDG_CACHE_HOME"] || env["LOCALAPPDATA"] || join(env["HOME"] || homedir(), ".cache");
  return join(parent, "plugboard");
}
