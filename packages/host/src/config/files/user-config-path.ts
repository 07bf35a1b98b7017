/** Where the user's config file is: `$PLUGBOARD_CONFIG_PATH`, or what the platform has for that. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

type Env = { readonly [name: string]: string | undefined };

/**
 * `named`: the user said so, and is told if it is not there. From the home folder, for counted from a project's it
 * would make a file of the project's the user's own.
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
  // The XDG specification has relative paths ignored.
  return given && isAbsolute(given) ? given : join(homedir(), ".config");
}
