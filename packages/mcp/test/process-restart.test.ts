/** A server that crashes and is started again, many times over, leaves nothing behind in the host. Linux: it counts in /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Processes } from "@plugboard/mcp/process";
import { describe, expect, it, vi } from "vitest";
import { makeProcesses, shell } from "./start-process.ts";

const CYCLES = process.env["PLUGBOARD_LONG"] ? 1000 : 100;

describe.skipIf(process.platform !== "linux")(
  "after a server's crashes and restarts",
  { meta: { covers: ["F42"] } },
  () => {
    it(`(${CYCLES}) there are no more descriptors, listeners, children or zombies`, { timeout: 120_000 }, async () => {
      const processes = makeProcesses();
      await crash(processes);
      const before = await settled();
      for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
      expect(await settled()).toEqual(before);
    });

    it(`(${CYCLES}) the guard of the others is the same, and no larger`, { timeout: 120_000 }, async () => {
      const processes = makeProcesses();
      const other = await processes.start(shell("read forever"));
      const [guard] = children().filter((pid) => pid !== other.pid);
      await crash(processes);
      const before = residentKb(guard!);
      for (let cycle = 0; cycle < CYCLES; cycle++) await crash(processes);
      expect(new Set(children())).toEqual(new Set([guard!, other.pid]));
      expect(residentKb(guard!) - before).toBeLessThan(200);
    });
  },
);

const CRASHES = ["exit 3", "kill -9 $$", "echo oh no >&2; kill -ABRT $$"];
let crashed = 0;

async function crash(processes: Processes): Promise<void> {
  const how = CRASHES[crashed++ % CRASHES.length]!;
  const server = await processes.start(shell(how));
  await server.exited;
  await server.sweep();
}

/** What is held when nothing more is let go. */
async function settled() {
  return vi.waitFor(async () => {
    const now = held();
    await delay(50);
    expect(held()).toEqual(now);
    expect(now.children).toEqual([]);
    return now;
  });
}

function held() {
  const listeners = process.eventNames().map((name) => process.listenerCount(name));
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    listeners: listeners.reduce((sum, count) => sum + count, 0),
    children: children(),
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
