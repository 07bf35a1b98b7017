/** Tests that a change of the wall clock by an hour affects no duration. */
import { CachedList } from "#catalog/cached-list.js";
import { ResourceCache } from "#catalog/resource-cache.js";
import { IdleWatch } from "#connection/idle-watch.js";
import { isAlive } from "@plugboard/testkit/process-alive";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { fixtureSpec, makeProcesses, waitForStderr } from "../helpers/start-process.ts";

describe.each([3_600_000, -3_600_000])("wall clock change by %d ms", { meta: { covers: ["F47"] } }, (byMs) => {
  it("does not change the time after which a server that ignores SIGTERM is killed", async () => {
    const clock = new ManualClock();
    const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof", "--ignore-term"));
    await waitForStderr(server, /tree/);
    const stopped = server.stop();
    await waitForStderr(server, /eof/);
    clock.shiftWallClock(byMs);
    clock.advance(1980);
    // The process is not killed too early either.
    expect(server.stderrTail).not.toContain("term");
    clock.advance(20);
    await waitForStderr(server, /term/);
    clock.advance(2000);
    expect(await server.exited).toBe("SIGKILL");
    await vi.waitFor(() => {
      clock.advance(20);
      expect(isAlive(server.pid)).toBe(false);
    });
    clock.advance(2000);
    await stopped;
  });

  it("does not change the ttl of a list", async () => {
    const clock = new ManualClock();
    const kept = new CachedList<{ readonly ttlMs?: number }>(clock);
    await kept.get(() => Promise.resolve({ ttlMs: 1000 }));
    clock.shiftWallClock(byMs);
    clock.advance(999);
    expect(kept.fresh).toBe(true);
    clock.advance(1);
    expect(kept.fresh).toBe(false);
  });

  it("does not change the ttl of a cached resource", () => {
    const clock = new ManualClock();
    const reads = new ResourceCache(clock);
    reads.set("a:1", { contents: [], ttlMs: 1000 });
    clock.shiftWallClock(byMs);
    clock.advance(999);
    expect(reads.get("a:1")).toBeDefined();
    clock.advance(1);
    expect(reads.get("a:1")).toBeUndefined();
  });

  it("does not change the time after which an unused server is stopped", () => {
    const clock = new ManualClock();
    const onUnused = vi.fn<() => void>();
    const idle = new IdleWatch({ clock, afterMs: 1000, inUse: () => false, onUnused });
    clock.shiftWallClock(byMs);
    clock.advance(999);
    expect(onUnused).not.toHaveBeenCalled();
    clock.advance(1);
    expect(onUnused).toHaveBeenCalledOnce();
    idle.stop();
  });
});
