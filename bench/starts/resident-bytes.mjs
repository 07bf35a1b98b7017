/** Returns the resident memory of this process after several garbage collections. */
import { setTimeout as wait } from "node:timers/promises";

export async function residentBytes() {
  for (let times = 0; times < 4; times++) {
    globalThis.gc();
    await wait(50);
  }
  return process.memoryUsage.rss();
}
