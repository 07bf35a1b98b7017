import { once } from "node:events";
import { expect, it } from "vitest";
import { fixtureSpec, makeProcesses, waitForStderr } from "../helpers/start-process.ts";

const MEGABYTES = 200;

it(
  `ServerProcess reads ${MEGABYTES} MB from stderr without blocking the server, and does not keep them in memory`,
  { meta: { covers: ["F16"] } },
  async () => {
    const before = process.memoryUsage.rss();
    let most = before;
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
    const server = await makeProcesses().start(fixtureSpec("floods-stderr", String(MEGABYTES)));
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    clearInterval(look);
    expect(String(line)).toBe("done\n");
    await waitForStderr(server, /the last words$/);
    expect(server.stderrTail.length).toBeLessThanOrEqual(4096);
    // The limit is generous, because the garbage collector runs only now and then.
    expect(most - before).toBeLessThan((MEGABYTES * 1_000_000) / 2);
  },
);
