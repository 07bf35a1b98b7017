// @ts-check
/** Measures the memory of a separate program, which reports it after garbage collection. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant }, { starts = "", servers = 0 }) {
  const script = fileURLToPath(new URL(`../starts/${starts}/${contestant}.mjs`, import.meta.url));
  return {
    async round() {
      const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, String(servers)]);
      return Number(stdout);
    },
    end: async () => {},
  };
}
