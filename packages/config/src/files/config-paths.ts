/** Locates the config files of the user and of the administrator. */
import type { Env } from "@plugboard/contracts";
import { homedir } from "node:os";
import { isAbsolute, join, posix, resolve, win32 } from "node:path";

/**
 * Returns `$PLUGBOARD_CONFIG_PATH`, or the platform's default. `named` is true if the variable is set: then a missing
 * file is an error. A relative path starts at the home folder, not at the current one, which may contain a project of
 * an unknown author.
 */
export function userConfigPath(env: Env, home = homedir()): { readonly path: string; readonly named: boolean } {
  const given = env["PLUGBOARD_CONFIG_PATH"];
  if (given) return { path: resolve(home, given), named: true };
  return { path: join(configFolder(env), "plugboard", "config.json"), named: false };
}

function configFolder(env: Env): string {
  if (process.platform === "win32") return env["APPDATA"] || join(homedir(), "AppData", "Roaming");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  const given = env["XDG_CONFIG_HOME"];
  // The XDG specification says to ignore relative paths.
  return given && isAbsolute(given) ? given : join(homedir(), ".config");
}

/** Returns the path of the administrator's config file. No variable changes it, since users could set the variable. */
export function defaultManagedConfigPath(platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return win32.join("C:\\ProgramData", "plugboard", "config.json");
  const folder = platform === "darwin" ? "/Library/Application Support" : "/etc";
  return posix.join(folder, "plugboard", "config.json");
}
