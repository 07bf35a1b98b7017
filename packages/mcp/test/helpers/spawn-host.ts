/** A host in a process of its own, to be killed. Its servers and its guard are known by a mark in their command lines. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, vi } from "vitest";
import { fixturePath } from "./start-process.ts";

export interface SpawnedHost {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  /** Waits until it has said that. */
  waitForOutput(word: string): Promise<void>;
  /** Everything that the host has started and what that has started, but for the guard. */
  servers(): number[];
  guards(): number[];
  /** Nobody is left of them. */
  waitUntilGone(withinMs: number): Promise<void>;
}

/**
 * `body` is the host's program. In it `tree(...flags)` starts a `deep-tree` and `idle(before)` an idle
 * shell, both by `processes.start`; `say(word)` is heard here, and `told(word)` also waits for a SIGUSR2. `skip(ms)` sets
 * the clock forward.
 */
export function spawnHost(body: string, atEnd: (run: () => void) => void = onTestFinished): SpawnedHost {
  const mark = `mark-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const program = `
    import { writeSync } from "node:fs";
    import { systemClock } from "@plugboard/mcp";
        import { Processes } from "@plugboard/mcp/process";
    let skipped = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + skipped, steady: () => systemClock.steady() + skipped };
    const skip = (ms) => (skipped += ms);
    const processes = new Processes(clock);
    const start = (command, args) => processes.start({ server: "s", command, args, cwd: process.cwd(), env: {} });
    const tree = (...flags) => start(process.execPath, [${JSON.stringify(fixturePath("deep-tree"))}, ...flags, "--${mark}"]);
    const idle = (before = ":") => start("/bin/sh", ["-c", before + "; sleep 60; sleep 60 # ${mark}"]);
    const say = (word) => writeSync(1, word + "\\n");
    const told = (word) => new Promise((go) => (process.once("SIGUSR2", go), setInterval(() => {}, 1000), say(word)));
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
  const guards = () => processesWith(`Plugboard: ends the servers of process ${pid} `);
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
          if (left.length > 0) throw new Error(`still there: ${left.join(", ")}`);
        },
        { timeout, interval: 25 },
      ),
  };
}

/** Those that run; a zombie has no command line any more. */
function processesWith(text: string): number[] {
  if (process.platform !== "linux") return fromPs(text);
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text) ? [Number(name)] : [];
    } catch {
      return []; // It ended while we were looking.
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
    // It is gone, as it should be.
  }
}
