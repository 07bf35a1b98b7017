/** Locates the folder with the compiled code of the command. `bin/plugboard.js` of the command chooses the same. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Env } from "@plugboard/contracts";

export function cacheFolder(env: Env): string {
  const parent = env["XDG_CACHE_HOME"] || env["LOCALAPPDATA"] || join(env["HOME"] || homedir(), ".cache");
  return join(parent, "plugboard", "code");
}
