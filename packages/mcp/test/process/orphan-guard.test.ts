/** Tests that the servers of a host end when the host dies. The hosts are real processes. */
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { PassThrough } from "node:stream";
import { OrphanGuard } from "#process/orphan-guard.js";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { describe, expect, it, vi } from "vitest";
import { spawnHost } from "../helpers/spawn-host.ts";
import type { SpawnedHost } from "../helpers/spawn-host.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const WITHIN_MS = 5000;
/** The guard may end later than the servers if no init process reaps their zombies. */
const GUARD_MS = 10_000;

describe.concurrent("After `kill -9` of the host", { meta: { covers: ["F40", "R0.11"] } }, () => {
  it("the guard stops all servers within 5 s, even grandchildren that ignore signals, and then exits", async ({
    onTestFinished,
  }) => {
    const host = spawnHost(
      `
      const servers = await Promise.all([tree(), tree("--ignore-eof"), tree("--ignore-eof", "--ignore-term"), idle()]);
      while (servers.slice(0, 3).some((server) => !server.stderrTail.includes("tree"))) await new Promise((go) => setTimeout(go, 20));
      say("ready");`,
      onTestFinished,
    );
    await host.waitForOutput("ready");
    const servers = host.servers();
    // Three trees of three processes, and the shell.
    expect(servers.length).toBeGreaterThanOrEqual(10);
    expect(host.guards().length).toBe(1);
    await killed(host, servers);
  });

  it("the guard stops servers that the host started in the same event loop turn", async ({ onTestFinished }) => {
    const host = spawnHost(
      `
      void tree("--ignore-eof", "--ignore-term");
      void idle("trap '' TERM");
      process.kill(process.pid, "SIGKILL");`,
      onTestFinished,
    );
    await host.exited;
    await host.waitUntilGone(WITHIN_MS);
  });

  it("the guard stops servers that are still starting", async ({ onTestFinished }) => {
    const host = spawnHost(
      `
      const started = [1, 2, 3].map(() => tree("--ignore-eof", "--ignore-term"));
      say("starting");
      await Promise.all(started);`,
      onTestFinished,
    );
    await host.waitForOutput("starting");
    await killed(host, host.servers());
  });

  it("a second guard stops the servers if the first one was killed before", async ({ onTestFinished }) => {
    const host = spawnHost(
      `
      await tree("--ignore-eof");
      skip(1100);
      say("ready");`,
      onTestFinished,
    );
    await host.waitForOutput("ready");
    const [first] = host.guards();
    process.kill(first!, "SIGKILL");
    await waitUntilDead(first!, 5000);
    await vi.waitFor(() => expect(host.guards()).toHaveLength(1));
    // The second guard may not be running yet.
    await killed(host, host.servers(), GUARD_MS);
  });

  it("the guard does not signal groups that were stopped or had ended before", async ({ onTestFinished }) => {
    const host = spawnHost(
      `
      const [stopped, crashed] = await Promise.all([tree(), idle("exit 1"), idle()]);
      await stopped.stop();
      await crashed.exited;
      say("ready");`,
      onTestFinished,
    );
    await host.waitForOutput("ready");
    expect(host.servers().length).toBeGreaterThanOrEqual(1);
    await killed(host, host.servers());
  });
});

describe.concurrent("A host with running servers", () => {
  it.for([
    ["stops them and ends", "await processes.stopAll();"],
    ["exits without stopping them", "process.exit(0);"],
    ["throws an exception", "throw new Error('on purpose');"],
    ["gets SIGTERM", "process.kill(process.pid, 'SIGTERM');"],
    ["gets SIGHUP", "process.kill(process.pid, 'SIGHUP');"],
    [
      "stops them on SIGTERM",
      "process.once('SIGTERM', () => processes.stopAll()); process.kill(process.pid, 'SIGTERM');",
    ],
  ] as const)("leaves no server and no guard behind if it %s", async ([, end], { onTestFinished }) => {
    const program = `
      await Promise.all([tree("--ignore-eof"), idle()]);
      say("ready");
      ${end}`;
    const host = spawnHost(program, onTestFinished);
    await host.waitForOutput("ready");
    await host.exited;
    await host.waitUntilGone(GUARD_MS);
  });
});

it("OrphanGuard runs one guard for all servers, and none without a server", async () => {
  const host = spawnHost(`
    await sayAndWait("none");
    await Promise.all([1, 2, 3, 4, 5].map(() => idle()));
    await sayAndWait("five");
    await processes.stopAll();
    await sayAndWait("stopped");
    await idle();
    say("again");`);
  await host.waitForOutput("none");
  expect(host.guards()).toHaveLength(0);
  process.kill(host.pid, "SIGUSR2");
  await host.waitForOutput("five");
  expect(host.guards()).toHaveLength(1);
  process.kill(host.pid, "SIGUSR2");
  await host.waitForOutput("stopped");
  await vi.waitFor(() => expect(host.guards()).toHaveLength(0), { timeout: 15_000 });
  process.kill(host.pid, "SIGUSR2");
  await host.waitForOutput("again");
  await killed(host, host.servers());
});

it.skipIf(process.platform !== "linux")(
  "OrphanGuard starts the guard without server pipes, in no folder of the host, with PATH as its only variable",
  async () => {
    const host = spawnHost(`process.env.CANARY = "s3cret"; await Promise.all([idle(), idle()]); say("ready");`);
    await host.waitForOutput("ready");
    const [guard] = host.guards();
    const opened = readdirSync(`/proc/${guard}/fd`).map((fd) => readlinkSync(`/proc/${guard}/fd/${fd}`));
    // Node's pipes are sockets. One of them belongs to the guard.
    expect(opened.filter((file) => file.startsWith("socket:"))).toHaveLength(1);
    expect(readFileSync(`/proc/${guard}/environ`, "utf8").split("\0").filter(Boolean)).toEqual([
      `PATH=${process.env["PATH"]}`,
    ]);
    expect(readlinkSync(`/proc/${guard}/cwd`)).toBe("/");
  },
);

describe("OrphanGuard", () => {
  /** Returns fake guards in the order in which they were started. */
  function listening(clock = new ManualClock()) {
    const shells: (ChildProcess & { received: string })[] = [];
    const guard = new OrphanGuard(clock, () => {
      const stdin = new PassThrough();
      const shell = Object.assign(new EventEmitter(), { stdin, received: "" }) as unknown as (typeof shells)[number];
      stdin.on("data", (chunk: Buffer) => (shell.received += String(chunk))).on("end", () => (shell.received += "end"));
      shells.push(shell);
      return shell;
    });
    return { guard, clock, received: () => shells.map((shell) => shell.received), shells };
  }

  it("tells the guard which groups to watch and stops the guard after the last group", async () => {
    const { guard, received } = listening();
    for (const group of [5, 6]) guard.watch(group);
    for (const group of [5, 6]) guard.unwatch(group);
    guard.watch(7);
    await vi.waitFor(() => expect(received()).toEqual(["+ 5\n+ 6\n- 5\n- 6\nend", "+ 7\n"]));
  });

  it("tells a new guard all groups that are still running", async () => {
    const { guard, clock, received, shells } = listening();
    for (const group of [5, 6]) guard.watch(group);
    guard.unwatch(5);
    clock.advance(1000);
    shells[0]!.emit("exit", null, "SIGKILL");
    guard.watch(7);
    await vi.waitFor(() => expect(received()).toEqual(["+ 5\n+ 6\n- 5\n", "+ 6\n+ 7\n"]));
  });

  it("does not restart a guard that exits immediately, until the next server starts", async () => {
    const { guard, received, shells } = listening();
    guard.watch(5);
    shells[0]!.emit("exit", 127, null);
    await vi.waitFor(() => expect(received()).toEqual(["+ 5\n"]));
    guard.watch(6);
    await vi.waitFor(() => expect(received()).toEqual(["+ 5\n", "+ 5\n+ 6\n"]));
  });

  it("works without a guard if none can be started", () => {
    const guard = new OrphanGuard(new ManualClock(), () => undefined);
    guard.watch(5);
    guard.unwatch(5);
  });
});

/** Kills the host and checks that the servers and then the guard end. */
async function killed(host: SpawnedHost, servers: readonly number[], withinMs = WITHIN_MS): Promise<void> {
  process.kill(host.pid, "SIGKILL");
  const before = Date.now();
  await Promise.all(servers.map((pid) => waitUntilDead(pid, withinMs)));
  await host.waitUntilGone(withinMs + WITHIN_MS - (Date.now() - before));
}
