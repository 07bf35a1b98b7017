/**
 * A random schedule over the faults, the same for the same seed. Whatever goes wrong, in whatever order and however
 * much at once: every request settles, no server affects another, nothing is left over, and nothing that has an
 * effect is done twice. A failure names its seed; `PLUGBOARD_SEED=<n>` runs that one alone.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, Processes, systemClock } from "@plugboard/mcp";
import type { Outcome, Target } from "@plugboard/mcp";
import { childrenOf } from "@plugboard/testkit/process-alive";
import { HTTP_FAULTS } from "@plugboard/testkit/servers/chaotic/over-http";
import { STDIO_FAULTS } from "@plugboard/testkit/servers/chaotic/over-stdio";
import { chaoticStdio, startChaoticHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { ann } from "./connect.ts";

const { PLUGBOARD_LONG, PLUGBOARD_SEED } = process.env;
const STEPS = PLUGBOARD_LONG ? 200 : 50;
const SEEDS = PLUGBOARD_SEED ? [Number(PLUGBOARD_SEED)] : PLUGBOARD_LONG ? range(1, 12) : [1, 2, 3];

it.each(SEEDS)(
  "the invariants hold under the random schedule of seed %i",
  { meta: { covers: ["I1", "I2", "I3", "I4", "F1"] }, timeout: 300_000 },
  async (seed) => {
    const random = seeded(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const before = await leftovers();
    const folder = await mkdtemp(join(tmpdir(), "plugboard-faults-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const http = await startChaoticHttp(join(folder, "http"));
    // Also if something fails before its end; ending it twice does no harm.
    onTestFinished(() => http.close());
    const stdio = (name: string): Subject => subject(name, chaoticStdio(join(folder, name)), STDIO_FAULTS);
    const subjects = [stdio("one"), stdio("two"), subject("http", { url: http.url }, HTTP_FAULTS)];
    const control = stdio("control");

    const calls: Promise<Called>[] = [];
    const controlled: Promise<Called>[] = [];
    for (let step = 0; step < STEPS; step++) {
      const { name, connection, faults } = pick(subjects);
      const burst = Math.ceil(random() * 4);
      for (let n = 0; n < burst; n++) {
        const patience = random() < 0.2 ? Math.floor(random() * 100) : undefined;
        calls.push(call(connection, `${name}-${step}-${n}`, pick(faults), patience));
      }
      controlled.push(call(control.connection, `control-${step}`, "none"));
      if (random() < 0.05) killed(connection.pid);
      if (random() < 0.05) void connection.retry().catch(expected);
      // Some things happen while others still go on.
      if (random() < 0.5) await calls.at(-1);
      if (connection.state.phase === "error") await connection.retry().catch(expected);
    }

    const all = await Promise.all(calls);
    for (const { outcome, settled, key } of all) {
      expect(["complete", "failed"], key).toContain(outcome.type);
      expect(settled, `${key} told that it is over`).toBeLessThanOrEqual(1);
    }
    for (const { outcome, key } of await Promise.all(controlled)) expect(outcome.type, key).toBe("complete");
    // Each of them can still be used.
    for (const { name, connection } of subjects) {
      await connection.retry().catch(expected);
      const { outcome } = await call(connection, `${name}-last`, "none");
      expect(outcome.type === "failed" ? outcome.error.message : "", `${name} after all that`).toBe("");
    }
    await Promise.all([...subjects, control].map(({ connection }) => connection.stop()));
    await http.close();

    const effects = await journals(folder);
    expect(effects.length, "effects that happened twice").toBe(new Set(effects).size);
    const happened = new Set(effects);
    for (const { outcome, key } of all) if (outcome.type === "complete") expect(happened, key).toContain(key);
    await vi.waitFor(async () => expect(await leftovers()).toEqual(before), { timeout: 10_000, interval: 100 });
  },
);

interface Subject {
  readonly name: string;
  readonly connection: Connection;
  readonly faults: readonly string[];
}

interface Called {
  readonly key: string;
  readonly outcome: Outcome;
  /** How often it was said to be over. */
  readonly settled: number;
}

function subject(
  name: string,
  where: { command: string; args: readonly string[] } | { url: string },
  faults: readonly string[],
): Subject {
  const target: Target =
    "url" in where
      ? { transport: "http", url: where.url, headers: {} }
      : { transport: "stdio", ...where, cwd: process.cwd(), env: {} };
  const connection = new Connection(
    {
      server: name,
      target,
      processes: new Processes(systemClock),
      clock: systemClock,
      identity: { name: "plugboard-test", version: "0.0.0" },
      startupTimeoutMs: 15_000,
      requestTimeoutMs: 15_000,
      eras: { get: () => "legacy", set: () => {} },
      onStrayAsk: () => Promise.resolve({ action: "cancel" }),
      onChanged: () => {},
    },
    { maxMessageBytes: 1 << 20, firstRetryMs: 10, longestRetryMs: 100 },
  );
  onTestFinished(() => connection.stop());
  return { name, connection, faults };
}

/** No answer that could be understood comes, or none if another comes in between its pieces. */
const UNANSWERED = new Set(["hang", "id as text", "in pieces"]);

async function call(connection: Connection, key: string, fault: string, patienceMs?: number): Promise<Called> {
  let settled = 0;
  const hangs = UNANSWERED.has(fault);
  const outcome = await connection.request(
    { method: "tools/call", params: { name: "effect", arguments: { key, fault } } },
    {
      caller: ann,
      timeoutMs: hangs ? 500 : 15_000,
      maxMs: 20_000,
      elicitation: false,
      onSettled: () => (settled += 1),
      ...(patienceMs !== undefined && { signal: AbortSignal.timeout(patienceMs) }),
    },
  );
  return { key, outcome, settled };
}

/** What a host could leave behind: open files and pipes, children, timers. */
async function leftovers(): Promise<{ files: number; children: number }> {
  const files = process.platform === "linux" ? (await readdir("/proc/self/fd")).length : 0;
  return { files, children: childrenOf(process.pid).length };
}

async function journals(folder: string): Promise<string[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

function killed(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}

/** Servers that are made to fail at random fail to open too. */
function expected(): void {}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
