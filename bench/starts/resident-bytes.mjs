/** The memory of this process once it has come to rest: collected a few times, as what is freed is given back late. */
import { setTimeout as wait } from "node:timers/promises";

export async function residentBytes() {
  for (let times = 0; times < 4; times++) {
    globalThis.gc();
    await wait(50);
  }
  return process.memoryUsage.rss();
}
