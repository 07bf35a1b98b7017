/** Tests that a change of the wall clock by an hour affects no duration. */
import { KeptList } from "#catalog/kept-list.js";
import { ReadCache } from "#catalog/read-cache.js";
import { IdleWatch } from "#connection/idle.js";
import { isAlive } from "@plugboard/testkit/process-alive";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "./manual-clock.ts";
import { fixture, makeProcesses, said } from "./start-process.ts";

describe.each([3_600_000, -3_600_000])("with the wall clock set by %d ms", { meta: { covers: ["F47"] } }, (byMs) => {
  it("a server that ignores its stop is killed after its stop window", async () => {
    const clock = new ManualClock();
    const server = await makeProcesses(clock).start(fixture("deep-tree", "--ignore-eof", "--ignore-term"));
    await said(server, /tree/);
    const stopped = server.stop();
    await said(server, /eof/);
    clock.setWall(byMs);
    clock.pass(1980);
    // The kill is not early either.
    expect(server.stderrTail).not.toContain("term");
    clock.pass(20);
    await said(server, /term/);
    clock.pass(2000);
    expect(await server.exited).toBe("SIGKILL");
    await vi.waitFor(() => {
      clock.pass(20);
      expect(isAlive(server.pid)).toBe(false);
    });
    clock.pass(2000);
    await stopped;
  });

  it("a list stays valid for the time that its server gives", async () => {
    const clock = new ManualClock();
    const kept = new KeptList<{ readonly ttlMs?: number }>(clock);
    await kept.use(() => Promise.resolve({ ttlMs: 1000 }));
    clock.setWall(byMs);
    clock.pass(999);
    expect(kept.good).toBe(true);
    clock.pass(1);
    expect(kept.good).toBe(false);
  });

  it("a read resource is cached for the time that its server gives", () => {
    const clock = new ManualClock();
    const reads = new ReadCache(clock);
    reads.put("a:1", { contents: [], ttlMs: 1000 });
    clock.setWall(byMs);
    clock.pass(999);
    expect(reads.get("a:1")).toBeDefined();
    clock.pass(1);
    expect(reads.get("a:1")).toBeUndefined();
  });

  it("an unused server is stopped after its idle time", () => {
    const clock = new ManualClock();
    const onUnused = vi.fn<() => void>();
    const idle = new IdleWatch({ clock, afterMs: 1000, inUse: () => false, onUnused });
    clock.setWall(byMs);
    clock.pass(999);
    expect(onUnused).not.toHaveBeenCalled();
    clock.pass(1);
    expect(onUnused).toHaveBeenCalledOnce();
    idle.stop();
  });
});
