/** A server that crashes and is started again, many times over, leaves nothing behind in the host. Linux: it counts in /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Processes } from "@plugboard/mcp/process";
import { describe, expect, it, vi } from "vitest";
import { makeProcesses, shellSpec } from "../helpers/start-process.ts";

const CYCLES = process.env["PLUGBOARD_LONG"] ? 1000 : 100;

describe.skipIf(process.platform !== "linux")(
  "after a server's crashes and restarts",
  { meta: { covers: ["F42"] } },
  () => {
    it(`(${CYCLES}) there are no more descriptors, listeners, children or zombies`, { timeout: 120_000 }, async () => {
      const processes = makeProcesses();
      const others = new Set(children());
      await crash(processes);
      const before = await settled(others);
      for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
      const after = await settled(others);
      expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
      expect(after.listeners).toBeLessThanOrEqual(before.listeners);
    });

    it(`(${CYCLES}) the guard of the others is the same, and no larger`, { timeout: 120_000 }, async () => {
      const processes = makeProcesses();
      const others = new Set(children());
      const own = () => children().filter((pid) => !others.has(pid));
      const other = await processes.start(shellSpec("read forever"));
      const [guard] = own().filter((pid) => pid !== other.pid);
      await crash(processes);
      const before = residentKb(guard!);
      for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
      expect(new Set(own())).toEqual(new Set([guard!, other.pid]));
      expect(residentKb(guard!) - before).toBeLessThan(200);
    });
  },
);

const CRASHES = ["exit 3", "kill -9 $$", "echo oh no >&2; kill -ABRT $$"];
let crashed = 0;

async function crash(processes: Processes): Promise<void> {
  const how = CRASHES[crashed++ % CRASHES.length]!;
  const server = await processes.start(shellSpec(how));
  await server.exited;
  await server.stopRemaining();
}

/** What is held when no child is left but the others, which are of tests before. */
async function settled(others: ReadonlySet<number>) {
  await vi.waitFor(() => expect(children().filter((pid) => !others.has(pid))).toEqual([]), { timeout: 15_000 });
  // The pipes of a child are closed in the turn after its end.
  await setImmediate();
  const listeners = process.eventNames().map((name) => process.listenerCount(name));
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    listeners: listeners.reduce((sum, count) => sum + count, 0),
  };
}

/** Zombies included. */
function children(): number[] {
  const of = (task: string) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ");
  return readdirSync("/proc/self/task").flatMap(of).filter(Boolean).map(Number);
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
