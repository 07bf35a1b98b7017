/**
 * Tests that many crashes and restarts of a server leave nothing behind in the host. Needs Linux, because it reads
 * /proc.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Processes } from "@plugboard/mcp/process";
import { describe, expect, it, vi } from "vitest";
import { makeProcesses, shellSpec } from "../helpers/start-process.ts";

const CYCLES = process.env["PLUGBOARD_LONG"] ? 1000 : 100;

describe.skipIf(process.platform !== "linux")(
  "After many crashes and restarts of a server, the host",
  { meta: { covers: ["F42"] } },
  () => {
    it(
      `has no more file descriptors, listeners, children or zombies than before (${CYCLES} restarts)`,
      { timeout: 120_000 },
      async () => {
        const processes = makeProcesses();
        const others = new Set(children());
        await crash(processes);
        const before = await settled(others);
        for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
        const after = await settled(others);
        expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
        expect(after.listeners).toBeLessThanOrEqual(before.listeners);
      },
    );

    it(
      `still has the same guard process, whose memory has not grown (${CYCLES} restarts)`,
      { timeout: 120_000 },
      async () => {
        const processes = makeProcesses();
        const others = new Set(children());
        const own = () => children().filter((pid) => !others.has(pid));
        const other = await processes.start(shellSpec("read forever"));
        const [guard] = own().filter((pid) => pid !== other.pid);
        await crash(processes);
        const before = dataKb(guard!);
        for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
        expect(new Set(own())).toEqual(new Set([guard!, other.pid]));
        expect(dataKb(guard!) - before).toBeLessThan(200);
      },
    );
  },
);

const CRASHES = ["exit 3", "kill -9 $$", "echo oh no >&2; kill -ABRT $$"];
let crashed = 0;

async function crash(processes: Processes): Promise<void> {
  const command = CRASHES[crashed++ % CRASHES.length]!;
  const server = await processes.start(shellSpec(command));
  await server.exited;
  await server.stopRemaining();
}

/** Waits until only the `others`, children of earlier tests, are left. Then counts the host's resources. */
async function settled(others: ReadonlySet<number>) {
  await vi.waitFor(() => expect(children().filter((pid) => !others.has(pid))).toEqual([]), { timeout: 15_000 });
  // The pipes of a child close in the turn after its exit.
  await setImmediate();
  const listeners = process.eventNames().map((name) => process.listenerCount(name));
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    listeners: listeners.reduce((sum, count) => sum + count, 0),
  };
}

/** Returns the ids of all child processes, including zombies. */
function children(): number[] {
  const childrenOf = (task: string) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ");
  return readdirSync("/proc/self/task").flatMap(childrenOf).filter(Boolean).map(Number);
}

/** Returns the size of a process's data, including pages that the system has reclaimed meanwhile. */
function dataKb(pid: number): number {
  return Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
