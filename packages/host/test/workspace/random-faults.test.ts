/**
 * Runs a random schedule of faults against a whole host. The same seed gives the same schedule. The host is stopped
 * during calls and restarted, its disk is full for a while, the wall clock jumps, and its servers fail and are killed.
 * Every call settles with a result or a HostError, no call with an effect runs twice, and no resource leaks.
 * The title of a failed test names its seed. `PLUGBOARD_SEED=<n>` runs only that seed.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import type { EmbeddedHost } from "@plugboard/host";
import { childrenOf } from "@plugboard/testkit/process-alive";
import { seededRandom } from "@plugboard/testkit/seeded-random";
import { STDIO_FAULTS } from "@plugboard/testkit/servers/chaotic/chaotic-stdio";
import { chaoticStdio } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { makeTestHome } from "../helpers/embedded-host.ts";

const { PLUGBOARD_LONG, PLUGBOARD_SEED } = process.env;
const STEPS = PLUGBOARD_LONG ? 150 : 40;
const SEEDS = PLUGBOARD_SEED ? [Number(PLUGBOARD_SEED)] : PLUGBOARD_LONG ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];
const HOUR_MS = 3_600_000;

it.each(SEEDS)(
  "a host survives the random faults of seed %i",
  { meta: { covers: ["I1", "I2", "I3", "I4", "F47"] }, timeout: 300_000 },
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
    const before = await leakableResources();
    const home = await makeTestHome();
    const disk = await smallDisk(home.stateFolder);
    const wall = jumpingWallClock();
    const journal = (name: string) => join(home.cwd, `${name}.journal`);
    const faultyServers = ["one", "two"];
    const names = [...faultyServers, "control"];
    const chaotic = (name: string) => ({ ...chaoticStdio(journal(name)), request_timeout_ms: 2000 });
    const servers = Object.fromEntries(names.map((name) => [name, chaotic(name)]));
    const start = () => home.host({ servers });
    let host = await start();

    const calls: Promise<CallResult>[] = [];
    const stops: Promise<void>[] = [];
    const hostFaults = [
      () => disk.fill(),
      () => disk.free(),
      async () => {
        // The clock jumps while a call hangs. The jump must not change the timeout of the call.
        const hanging = call(host, "one", `hanging-${calls.length}`, "hang");
        wall.jump(pick([-HOUR_MS, HOUR_MS]));
        calls.push(hanging);
        await hanging;
      },
      async () => sendSignal(statusOf(host, pick(faultyServers)).pid, pick(["SIGTERM", "SIGKILL"])),
      async () => {
        stops.push(host.close());
        host = await start();
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      const name = pick(faultyServers);
      const burst = Math.ceil(random() * 3);
      for (let n = 0; n < burst; n++) {
        // The server mostly works, because this test is about faults of the host.
        const fault = random() < 0.1 ? pick(STDIO_FAULTS) : "none";
        calls.push(call(host, name, `${name}-${step}-${n}`, fault));
      }
      calls.push(call(host, "control", `control-${step}`, "none"));
      if (random() < 0.4) await pick(hostFaults)();
      if (random() < 0.5) await calls.at(-1);
      if (statusOf(host, name).state === "error") await host.servers.connect(name).catch(ignoreError);
    }

    const all = await Promise.all(calls);
    for (const { key, error } of all) {
      expect(error?.code ?? "", `${key}: ${error?.message}`).not.toBe("INTERNAL");
      // A call to a server without a fault fails only if the host was stopped.
      if (key.startsWith("control") && error) expect(error.code, key).toMatch(/^(CONNECTION_CLOSED|CANCELLED)$/);
    }
    await Promise.all(stops);
    await disk.free();
    // Every server still works, and the stored data is readable.
    for (const name of names) {
      await host.servers.reconnect(name);
      expect((await call(host, name, `${name}-last`, "none")).error, name).toBeUndefined();
    }
    await host.close();

    const effects = (await Promise.all(names.map((name) => linesOf(journal(name))))).flat();
    expect(effects.length, "effects that happened twice").toBe(new Set(effects).size);
    for (const { key, error } of all) if (!error) expect(effects, key).toContain(key);
    const nothingLeft = async () => {
      const { files, children } = await leakableResources();
      expect(files.filter((file) => !before.files.includes(file))).toEqual([]);
      expect(children.filter((pid) => !before.children.includes(pid))).toEqual([]);
    };
    await vi.waitFor(nothingLeft, { timeout: 15_000, interval: 100 });
    expect((await readdir(home.stateFolder, { recursive: true })).filter((file) => /draft|\.tmp/.test(file))).toEqual(
      [],
    );
  },
);

interface CallResult {
  readonly key: string;
  readonly error?: HostError;
}

/** Calls a tool that appends the key to the server's journal. Throws any error that is not a HostError. */
async function call(host: EmbeddedHost, server: string, key: string, fault: string): Promise<CallResult> {
  try {
    await host.tools.call(`${server}:effect`, { key, fault });
    return { key };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { key, error };
  }
}

/** Creates a state folder that can be full. Only root can mount it. For other users, it becomes unwritable instead. */
async function smallDisk(folder: string) {
  await mkdir(folder, { recursive: true });
  const filler = join(folder, "filler");
  if (process.getuid?.() !== 0) {
    return { fill: () => chmod(folder, 0o500), free: () => chmod(folder, 0o700) };
  }
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "none", folder]);
  onTestFinished(() => void execFileSync("umount", [folder]));
  return {
    fill: () => writeFile(filler, "y".repeat(2_000_000)).catch(ignoreError),
    free: () => rm(filler, { force: true }),
  };
}

/** Changes the wall clock, but not the monotonic clock. */
function jumpingWallClock() {
  const now = Date.now.bind(Date);
  let ahead = 0;
  vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
  return { jump: (ms: number) => (ahead += ms) };
}

function statusOf(host: EmbeddedHost, server: string): ServerStatus {
  return host.status().find(({ id }) => id === server)!;
}

function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Returns the resources that a host could leak: open files, pipes and child processes. */
async function leakableResources(): Promise<{ files: string[]; children: number[] }> {
  return { files: process.platform === "linux" ? await openFiles() : [], children: childrenOf(process.pid) };
}

/** Returns the open files, except the descriptor for watching files, which Node keeps open. */
async function openFiles(): Promise<string[]> {
  const fds = await readdir("/proc/self/fd");
  const files = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return files.filter((file) => file !== "" && file !== "anon_inode:inotify").toSorted();
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, "utf8")).split("\n").filter(Boolean);
}

/** Ignores a rejection that the schedule causes on purpose. */
function ignoreError(): void {}
