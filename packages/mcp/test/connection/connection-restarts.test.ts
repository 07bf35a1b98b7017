/** Tests that repeated crashes of a server leak nothing. Linux only, because it counts in /proc. */
import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "@plugboard/contracts";
import type { CallContext, Connection } from "@plugboard/mcp";
import type { Clock } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { ann, expectFailure, makeConnection } from "../helpers/connect.ts";

const CYCLES = process.env["PLUGBOARD_LONG"] ? 1000 : 20;

/** A legacy server as a shell script, which starts quickly and exits on every call. */
const SERVER = `
  say() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
  while read -r line; do
    id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
    case $line in
      *'"server/discover"'*) say '"error":{"code":-32601,"message":"no"}' ;;
      *'"initialize"'*) say '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}' ;;
      *'"tools/list"'*) say '"result":{"tools":[{"name":"exit"}]}' ;;
      *'"tools/call"'*) kill -9 $$ ;;
    esac
  done`;

const ctx: CallContext = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: false };

describe.skipIf(process.platform !== "linux")(
  "Connection whose server crashes repeatedly",
  { meta: { covers: ["F42"] } },
  () => {
    it(`leaks no descriptors, listeners, children or timers in ${CYCLES} crashes`, { timeout: 300_000 }, async () => {
      for (const pid of children()) earlierChildren.add(pid);
      const { connection } = makeConnection(
        { command: "/bin/sh", args: ["-c", SERVER] },
        { limits: { firstRetryMs: 1, maxRetryMs: 1, maxCrashes: Infinity }, overrides: { clock: countingClock } },
      );
      connection.listen({ tools: true, prompts: true }, () => {});
      for (let cycle = 0; cycle < 5; cycle++) await crash(connection);
      const before = await idle();
      for (let cycle = 0; cycle < CYCLES; cycle++) await crash(connection);
      const after = await idle();
      for (const [resource, count] of Object.entries(after))
        expect(count, resource).toBeLessThanOrEqual(before[resource as keyof Resources]);
      expect(connection.state).toMatchObject({ phase: "ready", restarts: CYCLES + 5 });
      await connection.stop();
      await vi.waitFor(() => expect([...children(), ...timers]).toEqual([]));
    });
  },
);

/** An idle link has two timers: the next health check and the reset of its failure count. */
const IDLE_TIMERS = 2;

/** The timers that have neither run nor been cleared. */
const timers = new Set<object>();
const countingClock: Clock = {
  now: () => systemClock.now(),
  after(ms, run, options) {
    const timer = {};
    timers.add(timer);
    const runAndForget = () => (timers.delete(timer), run());
    const stop = systemClock.after(ms, runAndForget, options);
    return () => (timers.delete(timer), stop());
  },
};

/** Crashes the server and waits for its restart. In every second cycle, a caller that waits is cancelled. */
async function crash(connection: Connection): Promise<void> {
  const die = () => connection.request({ method: "tools/call", params: { name: "exit", arguments: {} } }, ctx);
  expect(expectFailure(await die()).code).toBe("SERVER_CRASHED");
  const abort = new AbortController();
  const waiting = connection.ready(abort.signal).catch(() => undefined);
  if (connection.state.restarts % 2 === 0) abort.abort();
  await waiting;
  await connection.ready();
}

/** Counts the resources when only the timers and children of an idle connection are left. */
function idle() {
  const look = () => {
    const now = countResources();
    expect(now).toMatchObject({ timers: IDLE_TIMERS, children: 2 });
    return now;
  };
  return vi.waitFor(look, { timeout: 20_000, interval: 20 });
}

/** The children of earlier tests. They are not counted. */
const earlierChildren = new Set<number>();

type Resources = ReturnType<typeof countResources>;

function countResources() {
  const listeners = process.eventNames().map((name) => process.listenerCount(name));
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    listeners: listeners.reduce((sum, count) => sum + count, 0),
    children: children().length,
    timers: timers.size,
    resources: process.getActiveResourcesInfo().length,
  };
}

/** Returns the ids of all child processes, including zombies. */
function children(): number[] {
  const of = (task: string) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ");
  const all = readdirSync("/proc/self/task").flatMap(of).filter(Boolean).map(Number);
  return all.filter((pid) => !earlierChildren.has(pid));
}
