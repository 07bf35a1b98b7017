/** Bringing real processes to an end, with all that they have started, in bounded time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fastClock } from "../helpers/fast-clock.ts";
import { ManualClock } from "../helpers/manual-clock.ts";
import {
  fixtureSpec,
  makeProcesses,
  waitForStderr,
  shellSpec,
  processSpec,
  pidsOfTree,
} from "../helpers/start-process.ts";

/** Two rungs of two seconds, and room for a busy machine. */
const LADDER_MS = 15_000;

describe(
  "nobody of a tree of three (node → sh → node) is left when it",
  { meta: { covers: ["F13", "R0.55", "R0.56", "R3.60"] } },
  () => {
    it.each([
      ["ends by itself when its input does", []],
      ["ends only when it is told to", ["--ignore-eof"]],
      ["ignores everything but SIGKILL", ["--ignore-eof", "--ignore-term"]],
    ])("%s", async (_, flags) => {
      const server = await makeProcesses(fastClock).start(fixtureSpec("deep-tree", ...flags));
      const pids = await pidsOfTree(server);
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      await server.stop();
      expect(pids.map(isAlive)).toEqual([false, false, false]);
    });

    it("has lost its leader", async () => {
      const server = await makeProcesses(fastClock).start(fixtureSpec("deep-tree", "--ignore-eof"));
      const pids = await pidsOfTree(server);
      process.kill(server.pid, "SIGKILL");
      expect(await server.exited).toBe("SIGKILL");
      await Promise.all(pids.map((pid) => waitUntilDead(pid, LADDER_MS)));
    });
  },
);

describe("a server that ignores SIGTERM", { meta: { covers: ["F14"] } }, () => {
  it(
    "has two seconds after the end of its input, two more after SIGTERM, and then is killed",
    { meta: { covers: ["F14", "R0.55"] } },
    async () => {
      const clock = new ManualClock();
      const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof", "--ignore-term"));
      const pids = await pidsOfTree(server);

      const kill = vi.spyOn(process, "kill");
      const signals = async (): Promise<unknown[]> => {
        await setImmediate();
        return kill.mock.calls
          .filter(([pid, signal]) => pid === -server.pid && signal !== 0)
          .map(([, signal]) => signal);
      };

      const stopped = server.stop();
      await waitForStderr(server, /eof/);
      clock.advance(1999);
      expect(await signals()).toEqual([]);
      clock.advance(1);
      expect(await signals()).toEqual(["SIGTERM"]);
      await waitForStderr(server, /term/);
      clock.advance(1999);
      expect(await signals()).toEqual(["SIGTERM"]);
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      clock.advance(1);
      expect(await signals()).toEqual(["SIGTERM", "SIGKILL"]);
      expect(await server.exited).toBe("SIGKILL");
      await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false, false]));
      clock.advance(20);
      await stopped;
    },
  );

  it("is killed at once when it is stopped a second time", async () => {
    const clock = new ManualClock();
    const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof", "--ignore-term"));
    const pids = await pidsOfTree(server);
    const stopped = server.stop();
    void server.stop();
    expect(await server.exited).toBe("SIGKILL");
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false, false]));
    clock.advance(20);
    await stopped;
  });
});

it("is patient with what a crashed server left behind, however often it looks, until it is asked a second time", async () => {
  const clock = new ManualClock();
  const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof"));
  const [, , deepest] = await pidsOfTree(server);
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const swept = server.stopRemaining();
  void server.stop();
  await waitForStderr(server, /eof/);
  expect(isAlive(deepest!)).toBe(true);
  void server.stop();
  await waitUntilDead(deepest!, 5000);
  clock.advance(20);
  await swept;
});

describe("stopping all", () => {
  it("takes no longer for many stubborn ones than for one", async () => {
    const processes = makeProcesses(fastClock);
    const stubborn = `trap '' TERM; while :; do sleep 1; done`;
    const servers = await Promise.all(Array.from({ length: 5 }, () => processes.start(shellSpec(stubborn))));
    const before = fastClock.now();
    await processes.stopAll();
    // Five ladders one after another would take twenty seconds.
    expect(fastClock.now() - before).toBeLessThan(LADDER_MS);
    expect(servers.map(({ pid }) => isAlive(pid))).toEqual([false, false, false, false, false]);
  });

  it("is done at once when it is asked for a second time", async () => {
    const clock = new ManualClock();
    const processes = makeProcesses(clock);
    const servers = await Promise.all([1, 2].map(() => processes.start(shellSpec("trap '' TERM; sleep 60; sleep 60"))));
    const first = processes.stopAll();
    void processes.stopAll();
    expect(await Promise.all(servers.map(({ exited }) => exited))).toEqual(["SIGKILL", "SIGKILL"]);
    await vi.waitFor(() => expect(servers.some(({ pid }) => isAlive(pid))).toBe(false));
    clock.advance(20);
    await first;
  });

  it("also ends one that was born a moment ago", async () => {
    const processes = makeProcesses();
    const starting = processes.start(processSpec(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]));
    await Promise.all([processes.stopAll(), processes.stopAll()]);
    expect(isAlive((await starting).pid)).toBe(false);
  });
});

it("does not wait for a zombie", async () => {
  // Without its leader, what ends in the group stays a zombie until the system's first process looks after it.
  const clock = new ManualClock();
  const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof"));
  const [, middle, deepest] = await pidsOfTree(server);
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const swept = server.stopRemaining();
  clock.advance(2000);
  await waitUntilDead(middle!, 5000);
  await waitUntilDead(deepest!, 5000);
  clock.advance(20);
  await swept;
});

it("needs no descriptors for it", async () => {
  const host = `
    import { openSync } from "node:fs";
    import { systemClock } from "@plugboard/mcp";
        import { Processes } from "@plugboard/mcp/process";
    const args = ["-c", "(trap '' TERM; sleep 60) & read x; exit 0"];
    const clock = { ...systemClock, now: () => systemClock.now() * 10, steady: () => systemClock.steady() * 10,
      after: (ms, run, background) => systemClock.after(ms / 10, run, background) };
    const server = await new Processes(clock).start({ server: "s", command: "/bin/sh", args, cwd: "/", env: {} });
    const hold = () => { try { for (;;) openSync("/dev/null"); } catch {} };
    setInterval(hold, 1);
    hold();
    server.stdin.write("x\\n");
    await server.exited;
    await server.stop();
    process.exit();`;
  const limited = 'ulimit -n 200; exec "$0" --input-type=module -e "$1"';
  const child = spawn("/bin/sh", ["-c", limited, process.execPath, host], {
    cwd: import.meta.dirname,
    stdio: "inherit",
  });
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("can't reach a server that left its group, but does not wait for it either", async () => {
  const script = `
    const { spawn } = require("node:child_process");
    const away = spawn("sleep", ["60"], { detached: true, stdio: "inherit" });
    console.error("away " + away.pid);
    process.stdin.resume().on("end", () => process.exit(0));`;
  const server = await makeProcesses().start(processSpec(process.execPath, ["-e", script]));
  const away = Number((await waitForStderr(server, /away (\d+)/))[1]);
  onTestFinished(() => void process.kill(away, "SIGKILL"));
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(isAlive(away)).toBe(true);
  // It holds our pipe; that we have let go of it shows in the event loop, which this awaits.
  await vi.waitFor(() => expect(server.stdout.destroyed).toBe(true));
});
