// @ts-check
/** Makes a temporary home for a host, so that no config of this machine is used. Removed at exit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function emptyHome() {
  const cwd = mkdtempSync(join(tmpdir(), "plugboard-bench-"));
  const { PLUGBOARD_CONFIG_PATH: _config, ...rest } = process.env;
  const env = { ...rest, XDG_CONFIG_HOME: join(cwd, "config"), XDG_STATE_HOME: join(cwd, "state") };
  return {
    options: { cwd, env, managedConfigPath: join(cwd, "managed.json") },
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
