/** Selects the environment variables that name config files, folders and other places. */
import type { Env } from "@plugboard/contracts";

const NAMES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];
/** Variables that determine where programs, other clients and the registry are. */
const OTHER_PLACES = ["HOME", "PATH", "Path", "PATHEXT", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PLUGBOARD_REGISTRY_URL"];

export function pathVariables(env: Env): { [name: string]: string } {
  return selectVariables(env, NAMES);
}

/** Selects all variables that the operations of a command depend on. */
export function placeVariables(env: Env): { [name: string]: string } {
  return selectVariables(env, [...NAMES, ...OTHER_PLACES]);
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
