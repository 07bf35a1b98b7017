// @ts-check
/**
 * A program in a process of its own, from its start to its end, in ms. Nothing of it is loaded here: what starts a
 * process is as small for one contestant as for another.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** No config of this machine counts. */
const NOWHERE = join(tmpdir(), "plugboard-bench-nowhere");

/** @type {import("./workload.mjs").Begin} */
export async function begin(_connect, { starts = "" }, contestant) {
  const script = fileURLToPath(new URL(`../starts/${starts}/${contestant}.mjs`, import.meta.url));
  const { PLUGBOARD_CONFIG_PATH: _config, ...rest } = process.env;
  const env = { ...rest, XDG_CONFIG_HOME: NOWHERE };
  return {
    async round() {
      const started = performance.now();
      const child = spawn(process.execPath, [script], { env, cwd: tmpdir(), stdio: ["ignore", "ignore", "inherit"] });
      const [code] = await once(child, "exit");
      const took = performance.now() - started;
      if (code !== 0) throw new Error(`it ended with ${code}`);
      return took;
    },
    end: async () => {},
  };
}
