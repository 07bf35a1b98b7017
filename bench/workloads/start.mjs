// @ts-check
/**
 * Measures a separate program from start to end, in ms. The program is not loaded in this process, so that starting it
 * costs the same for every contestant.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A config folder that does not exist, so that no config of this machine is used. */
const NO_CONFIG_FOLDER = join(tmpdir(), "plugboard-bench-nowhere");

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant }, { starts = "" }) {
  const script = fileURLToPath(new URL(`../starts/${starts}/${contestant}.mjs`, import.meta.url));
  const { PLUGBOARD_CONFIG_PATH: _config, ...rest } = process.env;
  const env = { ...rest, XDG_CONFIG_HOME: NO_CONFIG_FOLDER };
  return {
    async round() {
      const started = performance.now();
      const child = spawn(process.execPath, [script], { env, cwd: tmpdir(), stdio: ["ignore", "ignore", "inherit"] });
      const [code] = await once(child, "exit");
      const took = performance.now() - started;
      if (code !== 0) throw new Error(`the program ended with exit code ${code}`);
      return took;
    },
    end: async () => {},
  };
}
