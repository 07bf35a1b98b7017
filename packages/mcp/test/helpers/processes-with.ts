/** Finds processes by a text in their command lines. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Returns running processes only, because a zombie has no command line. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text) ? [Number(name)] : [];
    } catch {
      return []; // The process ended during the scan.
    }
  });
}
