/**
 * Starts a host in a process of its own, which a test can kill. The test finds its servers and its guard by a text in
 * their command lines.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, vi } from "vitest";
import { fixturePath } from "./start-process.ts";

export interface SpawnedHost {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  /** Waits until the host has written the line. */
  waitForOutput(word: string): Promise<void>;
  /** All processes that the host has started, with their children, but without the guard. */
  servers(): number[];
  guards(): number[];
  /** Waits until the servers and the guard have ended. */
  waitUntilGone(withinMs: number): Promise<void>;
}

/**
 * `body` is the host's program. It can call `tree(...flags)` to start a `deep-tree` and `idle(before)` to start an idle
 * shell. `say(word)` writes a line. `sayAndWait(word)` also waits for a SIGUSR2. `skip(ms)` moves the clock forward.
 */
export function spawnHost(body: string, atEnd: (run: () => void) => void = onTestFinished): SpawnedHost {
  const mark = `mark-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const program = `
    import { writeSync } from "node:fs";
    import { systemClock } from "@plugboard/contracts";
    import { Processes } from "@plugboard/mcp/process";
    let skipped = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + skipped, steady: () => systemClock.steady() + skipped };
    const skip = (ms) => (skipped += ms);
    const processes = new Processes(clock);
    const start = (command, args) => processes.start({ server: "s", command, args, cwd: process.cwd(), env: {} });
    const tree = (...flags) => start(process.execPath, [${JSON.stringify(fixturePath("deep-tree"))}, ...flags, "--${mark}"]);
    const idle = (before = ":") => start("/bin/sh", ["-c", before + "; sleep 60; sleep 60 # ${mark}"]);
    const say = (word) => writeSync(1, word + "\\n");
    const sayAndWait = (word) => new Promise((go) => (process.once("SIGUSR2", go), setInterval(() => {}, 1000), say(word)));
    ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: import.meta.dirname,
  });
  const { pid } = child;
  let outputText = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => (outputText += String(chunk)));
  const markedProcesses = () => processesWith(mark).filter((found) => found !== pid);
  const guards = () => processesWith(`Plugboard: stops the servers of process ${pid} `);
  atEnd(() => {
    for (const left of [pid!, ...guards(), ...markedProcesses()]) kill(left);
  });
  return {
    pid: pid!,
    exited: once(child, "exit"),
    waitForOutput: async (word) =>
      vi.waitFor(() => expect(outputText.split("\n")).toContain(word), { timeout: 15_000 }),
    servers: markedProcesses,
    guards,
    waitUntilGone: async (timeout) =>
      vi.waitFor(
        () => {
          const left = [...markedProcesses(), ...guards()];
          if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`);
        },
        { timeout, interval: 25 },
      ),
  };
}

/** Returns the processes whose command line contains the text. A zombie has no command line. */
function processesWith(text: string): number[] {
  if (process.platform !== "linux") return fromPs(text);
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text) ? [Number(name)] : [];
    } catch {
      return []; // The process ended during the scan.
    }
  });
}

function fromPs(text: string): number[] {
  const lines = execFileSync("ps", ["-axww", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(text)).map((line) => Number.parseInt(line, 10));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
