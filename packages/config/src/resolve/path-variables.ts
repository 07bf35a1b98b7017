/** Selects the environment variables that name config files and folders. */
import type { Env } from "@plugboard/contracts";

const NAMES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];

export function pathVariables(env: Env): { [name: string]: string } {
  return selectVariables(env, NAMES);
}

/** Leaves out variables that are not set. */
export function selectVariables(env: Env, names: Iterable<string>): { [name: string]: string } {
  return Object.fromEntries(
    Array.from(names).flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
