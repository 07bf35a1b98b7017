/** Tests that real processes end in limited time, together with all processes that they started. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fastClock } from "../helpers/fast-clock.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import {
  fixtureSpec,
  makeProcesses,
  waitForStderr,
  shellSpec,
  processSpec,
  pidsOfTree,
} from "../helpers/start-process.ts";

/** Two steps of two seconds, plus time for a busy machine. */
const STOP_TIMEOUT_MS = 15_000;

describe(
  "ServerProcess.stop with a tree of three processes (node → sh → node)",
  { meta: { covers: ["F13", "R0.55", "R0.56", "R3.60"] } },
  () => {
    it.each([
      ["exits when its stdin ends", []],
      ["exits only on SIGTERM", ["--ignore-eof"]],
      ["ignores everything but SIGKILL", ["--ignore-eof", "--ignore-term"]],
    ])("ends all three processes if the tree %s", async (_, flags) => {
      const server = await makeProcesses(fastClock).start(fixtureSpec("deep-tree", ...flags));
      const pids = await pidsOfTree(server);
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      await server.stop();
      expect(pids.map(isAlive)).toEqual([false, false, false]);
    });

    it("ends the remaining processes if the tree has lost its leader", async () => {
      const server = await makeProcesses(fastClock).start(fixtureSpec("deep-tree", "--ignore-eof"));
      const pids = await pidsOfTree(server);
      process.kill(server.pid, "SIGKILL");
      expect(await server.exited).toBe("SIGKILL");
      await Promise.all(pids.map((pid) => waitUntilDead(pid, STOP_TIMEOUT_MS)));
    });
  },
);

describe("ServerProcess.stop with a server that ignores SIGTERM", { meta: { covers: ["F14"] } }, () => {
  it(
    "waits two seconds after the end of stdin, two more after SIGTERM, and then sends SIGKILL",
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

  it("sends SIGKILL immediately on a second call", async () => {
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

it("ServerProcess.stop gives the remaining processes of a crashed server time to exit, unless it is called twice", async () => {
  const clock = new ManualClock();
  const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof"));
  const [, , deepest] = await pidsOfTree(server);
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const stopping = server.stopRemaining();
  void server.stop();
  await waitForStderr(server, /eof/);
  expect(isAlive(deepest!)).toBe(true);
  void server.stop();
  await waitUntilDead(deepest!, 5000);
  clock.advance(20);
  await stopping;
});

describe("Processes.stopAll", () => {
  it("takes no longer for many servers that ignore SIGTERM than for one", async () => {
    const processes = makeProcesses(fastClock);
    const stubborn = `trap '' TERM; while :; do sleep 1; done`;
    const servers = await Promise.all(Array.from({ length: 5 }, () => processes.start(shellSpec(stubborn))));
    const before = fastClock.now();
    await processes.stopAll();
    // Five stops in sequence would take twenty seconds.
    expect(fastClock.now() - before).toBeLessThan(STOP_TIMEOUT_MS);
    expect(servers.map(({ pid }) => isAlive(pid))).toEqual([false, false, false, false, false]);
  });

  it("kills all servers immediately on a second call", async () => {
    const clock = new ManualClock();
    const processes = makeProcesses(clock);
    const servers = await Promise.all([1, 2].map(() => processes.start(shellSpec("trap '' TERM; sleep 60; sleep 60"))));
    const first = processes.stopAll();
    void processes.stopAll();
    expect(await Promise.all(servers.map(({ exited }) => exited))).toEqual(["SIGKILL", "SIGKILL"]);
    await vi.waitFor(() => expect(servers.some(({ pid }) => isAlive(pid))).toBe(false));
    const onStopped = vi.fn<() => void>();
    void first.then(onStopped);
    // The last timer begins when the output has ended, which may be later than the exit.
    await vi.waitFor(() => {
      clock.advance(20);
      expect(onStopped).toHaveBeenCalled();
    });
  });

  it("also stops a server that is just being started", async () => {
    const processes = makeProcesses();
    const starting = processes.start(processSpec(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]));
    await Promise.all([processes.stopAll(), processes.stopAll()]);
    expect(isAlive((await starting).pid)).toBe(false);
  });
});

it("ServerProcess.stop does not wait for a zombie", async () => {
  // Without its leader, a process of the group stays a zombie until the init process reaps it.
  const clock = new ManualClock();
  const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof"));
  const [, middle, deepest] = await pidsOfTree(server);
  process.kill(server.pid, "SIGKILL");
  await server.exited;
  const stopping = server.stopRemaining();
  clock.advance(2000);
  await waitUntilDead(middle!, 5000);
  await waitUntilDead(deepest!, 5000);
  clock.advance(20);
  await stopping;
});

it("ServerProcess.stop works without free file descriptors", async () => {
  const host = `
    import { openSync } from "node:fs";
    import { systemClock } from "@plugboard/contracts";
        import { Processes } from "@plugboard/mcp/process";
    const args = ["-c", "(trap '' TERM; sleep 60) & read x; exit 0"];
    const clock = { ...systemClock, now: () => systemClock.now() * 10, steady: () => systemClock.steady() * 10,
      after: (ms, run, options) => systemClock.after(ms / 10, run, options) };
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

it(
  "ServerProcess.terminate sends SIGTERM at once, and SIGKILL two seconds later",
  { meta: { covers: ["F14"] } },
  async () => {
    const clock = new ManualClock();
    const server = await makeProcesses(clock).start(fixtureSpec("deep-tree", "--ignore-eof", "--ignore-term"));
    const pids = await pidsOfTree(server);
    const terminated = server.terminate();
    await waitForStderr(server, /term/);
    clock.advance(1999);
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    clock.advance(1);
    expect(await server.exited).toBe("SIGKILL");
    await Promise.all(pids.map((pid) => waitUntilDead(pid, STOP_TIMEOUT_MS)));
    clock.advance(2000);
    await terminated;
    await server.outputEnded;
  },
);

it("ServerProcess.stop does not wait for a process that has left the group and has no mark", async () => {
  const script = `
    const { spawn } = require("node:child_process");
    const { PLUGBOARD_PROCESS, ...env } = process.env;
    const away = spawn("sleep", ["60"], { detached: true, stdio: "inherit", env });
    console.error("away " + away.pid);
    process.stdin.resume().on("end", () => process.exit(0));`;
  const server = await makeProcesses().start(processSpec(process.execPath, ["-e", script]));
  const away = Number((await waitForStderr(server, /away (\d+)/))[1]);
  onTestFinished(() => void process.kill(away, "SIGKILL"));
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
  expect(isAlive(away)).toBe(true);
  // The process keeps its end of our pipe open. The event loop shows that we have closed our end.
  await vi.waitFor(() => expect(server.stdout.destroyed).toBe(true));
});
