// @ts-check
/** Makes a temporary home for a host or a command, so that no config of this machine is used. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function emptyHome() {
  const cwd = mkdtempSync(join(tmpdir(), "plugboard-bench-"));
  const { PLUGBOARD_CONFIG_PATH: _config, ...rest } = process.env;
  const env = {
    ...rest,
    HOME: cwd,
    USERPROFILE: cwd,
    XDG_CACHE_HOME: join(cwd, "cache"),
    XDG_CONFIG_HOME: join(cwd, "config"),
    XDG_DATA_HOME: join(cwd, "data"),
    XDG_RUNTIME_DIR: cwd,
    XDG_STATE_HOME: join(cwd, "state"),
  };
  return {
    options: { cwd, env, managedConfigPath: join(cwd, "managed.json") },
    remove: () => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }),
  };
}
