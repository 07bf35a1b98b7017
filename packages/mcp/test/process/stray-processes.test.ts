/** Tests that processes in a session of their own end with their server. Linux only, because /proc is read. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { spawnDetached } from "@plugboard/mcp/process";
import type { ServerProcess } from "@plugboard/mcp/process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fastClock } from "../helpers/fast-clock.ts";
import { makeProcesses, processSpec, waitForStderr } from "../helpers/start-process.ts";

/** The script of a server that runs the line in a shell with a session of its own, and ends when its stdin ends. */
const server = (line: string) => `
  const { spawn } = require("node:child_process");
  const stray = spawn("/bin/sh", ["-c", ${JSON.stringify(line)}], { detached: true, stdio: ["ignore", "ignore", "inherit"] });
  process.stderr.write("stray " + stray.pid + "\\n");
  stray.unref();
  process.stdin.resume().on("end", () => process.exit());`;

async function startWithStray(line = "exec sleep 600"): Promise<{ started: ServerProcess; stray: number }> {
  const started = await makeProcesses(fastClock).start(processSpec(process.execPath, ["-e", server(line)]));
  const stray = Number((await waitForStderr(started, /stray (\d+)/))[1]);
  onTestFinished(() => killIfAlive(stray));
  return { started, stray };
}

function killIfAlive(pid: number): void {
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

const markOf = (pid: number) =>
  /\0PLUGBOARD_PROCESS=([^\0]*)\0/.exec(`\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`)?.[1];

describe.runIf(process.platform === "linux")("A process in a session of its own", () => {
  it("ends when its server is stopped", async () => {
    const { started, stray } = await startWithStray();
    expect(isAlive(stray)).toBe(true);
    await started.stop();
    expect([started.pid, stray].map(isAlive)).toEqual([false, false]);
  });

  it("ends with SIGKILL if it ignores SIGTERM, with all processes that it has started", async () => {
    const { started, stray } = await startWithStray(
      "trap '' TERM; setsid sleep 600 & echo inner $! >&2; while :; do sleep 1; done",
    );
    const inner = Number((await waitForStderr(started, /inner (\d+)/))[1]);
    onTestFinished(() => killIfAlive(inner));
    await started.stop();
    expect([stray, inner].map(isAlive)).toEqual([false, false]);
  });

  it("ends when its server crashes", async () => {
    const { started, stray } = await startWithStray();
    process.kill(started.pid, "SIGKILL");
    await waitUntilDead(stray, 10_000);
  });

  it("ends when the host exits without stopping its servers", async () => {
    const host = `
    import { systemClock } from "@plugboard/contracts";
    import { Processes } from "@plugboard/mcp/process";
    const args = ["-e", ${JSON.stringify(server("exec sleep 600"))}];
    const started = await new Processes(systemClock).start({ server: "s", command: process.execPath, args, cwd: ".", env: {} });
    started.followStderr((chunk) => { console.log(String(chunk)); process.exit(0); });`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", host]);
    const stray = Number(/stray (\d+)/.exec(stdout)![1]);
    onTestFinished(() => killIfAlive(stray));
    await waitUntilDead(stray, 5000);
  });

  it("survives the stop of another server, as do processes with another mark or none", async () => {
    const [stopped, other] = await Promise.all([startWithStray(), startWithStray()]);
    const foreign = [{ PLUGBOARD_PROCESS: "another" }, { OTHER: `PLUGBOARD_PROCESS=${markOf(stopped.stray)}` }].map(
      (env) => {
        const child = spawn("/bin/sleep", ["600"], { env, detached: true, stdio: "ignore" });
        onTestFinished(() => void child.kill("SIGKILL"));
        return child;
      },
    );
    await Promise.all(foreign.map((child) => once(child, "spawn")));
    await stopped.started.stop();
    expect(isAlive(stopped.stray)).toBe(false);
    expect([other.stray, other.started.pid, ...foreign.map(({ pid }) => pid!)].map(isAlive)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it("has a random mark that is different for every start", async () => {
    const marks = (await Promise.all([startWithStray(), startWithStray()])).map(({ stray }) => markOf(stray));
    expect(new Set(marks).size).toBe(2);
    for (const mark of marks) expect(mark).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it("A host that a server's command starts in the background does not inherit the mark of that server", async () => {
  vi.stubEnv("PLUGBOARD_PROCESS", "of the server");
  vi.stubEnv("KEPT", "yes");
  const folder = await mkdtemp(join(tmpdir(), "plugboard-detached-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = join(folder, "log");
  await spawnDetached("/usr/bin/env", [], folder, log);
  const shown = await vi.waitFor(async () => {
    const text = await readFile(log, "utf8");
    expect(text).toContain("KEPT=yes\n");
    return text;
  });
  expect(shown).not.toContain("PLUGBOARD_PROCESS");
});
