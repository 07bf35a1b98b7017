/**
 * Tests random schedules of faults, each determined by a seed. In any order of faults, every request settles, no server
 * affects another, nothing leaks, and no call with an effect runs twice. A failure names its seed;
 * `PLUGBOARD_SEED=<n>` runs only that seed.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection } from "@plugboard/mcp";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import type { Clock } from "@plugboard/contracts";
import type { Outcome, Target } from "@plugboard/mcp";
import { childrenOf } from "@plugboard/testkit/process-alive";
import { HTTP_FAULTS } from "@plugboard/testkit/servers/chaotic/chaotic-http";
import { STDIO_FAULTS } from "@plugboard/testkit/servers/chaotic/chaotic-stdio";
import { chaoticStdio, startChaoticHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { seededRandom } from "@plugboard/testkit/seeded-random";
import { ann } from "../helpers/connect.ts";

const { PLUGBOARD_LONG, PLUGBOARD_SEED } = process.env;
const STEPS = PLUGBOARD_LONG ? 200 : 40;
const SEEDS = PLUGBOARD_SEED ? [Number(PLUGBOARD_SEED)] : PLUGBOARD_LONG ? range(1, 12) : [1, 2];
const HOUR_MS = 3_600_000;

it.each(SEEDS)(
  "connections keep their invariants under the random schedule of seed %i",
  { meta: { covers: ["I1", "I2", "I3", "I4", "F1", "F47"] }, timeout: 300_000 },
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const before = await leftovers();
    const folder = await mkdtemp(join(tmpdir(), "plugboard-faults-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const http = await startChaoticHttp(join(folder, "http"));
    // Also runs after a failure. Stopping twice is harmless.
    onTestFinished(() => http.close());
    let wallAhead = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + wallAhead };
    const stdio = (name: string) => new Subject(name, chaoticStdio(join(folder, name)), STDIO_FAULTS, clock);
    const subjects = [stdio("one"), stdio("two"), new Subject("http", { url: http.url }, HTTP_FAULTS, clock)];
    const control = stdio("control");

    const stops: Promise<void>[] = [];
    const calls: Promise<Called>[] = [];
    const controlled: Promise<Called>[] = [];
    for (let step = 0; step < STEPS; step++) {
      const subject = pick(subjects);
      const { name, connection, faults } = subject;
      const burst = Math.ceil(random() * 4);
      for (let n = 0; n < burst; n++) {
        const cancelAfterMs = random() < 0.2 ? Math.floor(random() * 100) : undefined;
        calls.push(call(connection, `${name}-${step}-${n}`, pick(faults), cancelAfterMs));
      }
      controlled.push(call(control.connection, `control-${step}`, "none"));
      if (random() < 0.1) sendSignal(connection.pid, pick(["SIGKILL", "SIGTERM"]));
      if (random() < 0.05) stops.push(subject.replace());
      if (random() < 0.1) {
        // A change of the wall clock must not affect the timeout of a hanging call.
        const hanging = call(connection, `${name}-${step}-hanging`, "hang");
        wallAhead += pick([-HOUR_MS, HOUR_MS]);
        calls.push(hanging);
        await hanging;
      }
      if (random() < 0.05) void connection.retry().catch(ignoreOpenFailure);
      // Some steps start while earlier ones still run.
      if (random() < 0.5) await calls.at(-1);
      if (subject.connection.state.phase === "error") await subject.connection.retry().catch(ignoreOpenFailure);
    }

    const ended = await Promise.all(calls);
    for (const { outcome, settled, key } of ended) {
      expect(["complete", "failed"], key).toContain(outcome.type);
      expect(settled, `${key} has settled`).toBeLessThanOrEqual(1);
    }
    for (const { outcome, key } of await Promise.all(controlled)) expect(outcome.type, key).toBe("complete");
    // Each server still answers. A new link is needed, because the old process may still produce faults: an invalid
    // message fails all pending calls, but the process goes on with them.
    for (const { name, connection } of subjects) {
      await connection.reconnect();
      const { outcome } = await call(connection, `${name}-last`, "none");
      expect(outcome.type === "failed" ? outcome.error.message : "", `${name} after all faults`).toBe("");
    }
    await Promise.all([...stops, ...[...subjects, control].map(({ connection }) => connection.stop())]);
    await http.close();

    const effects = await journals(folder);
    expect(effects.length, "effects that happened twice").toBe(new Set(effects).size);
    const happened = new Set(effects);
    for (const { outcome, key } of ended) if (outcome.type === "complete") expect(happened, key).toContain(key);
    const nothingLeft = async () => {
      const { files, children } = await leftovers();
      expect(files, "open files").toBeLessThanOrEqual(before.files);
      expect(children, "children").toBeLessThanOrEqual(before.children);
    };
    await vi.waitFor(nothingLeft, { timeout: 10_000, interval: 100 });
  },
);

interface Called {
  readonly key: string;
  readonly outcome: Outcome;
  /** How often the call has settled. */
  readonly settled: number;
}

class Subject {
  readonly name: string;
  readonly faults: readonly string[];
  connection: Connection;
  readonly #open: () => Connection;

  constructor(name: string, where: Where, faults: readonly string[], clock: Clock) {
    this.name = name;
    this.faults = faults;
    this.#open = () => open(name, where, clock);
    this.connection = this.#open();
  }

  /** Restarts the host: stops the old connection during its work and opens a new one. */
  replace(): Promise<void> {
    const stopped = this.connection.stop();
    this.connection = this.#open();
    return stopped;
  }
}

type Where = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

function open(name: string, where: Where, clock: Clock): Connection {
  const target: Target =
    "url" in where
      ? { transport: "http", url: where.url, headers: {} }
      : { transport: "stdio", ...where, cwd: process.cwd(), env: {} };
  const connection = new Connection(
    {
      server: name,
      target,
      processes: new Processes(clock),
      clock,
      identity: { name: "plugboard-test", version: "0.0.0" },
      startupTimeoutMs: 15_000,
      requestTimeoutMs: 15_000,
      eraStore: { get: () => "legacy", set: () => {} },
      onUnattributedRequest: () => Promise.resolve({ action: "cancel" }),
      onChanged: () => {},
    },
    { maxMessageBytes: 1 << 20, firstRetryMs: 10, maxRetryMs: 100 },
  );
  onTestFinished(() => connection.stop());
  return connection;
}

/** The faults after which the call gets no valid response. */
const UNANSWERED = new Set(["hang", "id as text", "in pieces"]);

async function call(connection: Connection, key: string, fault: string, cancelAfterMs?: number): Promise<Called> {
  let settled = 0;
  const hangs = UNANSWERED.has(fault);
  const outcome = await connection.request(
    { method: "tools/call", params: { name: "effect", arguments: { key, fault } } },
    {
      caller: ann,
      // A response that is interleaved with another one is lost too.
      timeoutMs: hangs ? 500 : fault === "none" ? 15_000 : 3000,
      maxMs: 20_000,
      elicitation: false,
      onSettled: () => (settled += 1),
      ...(cancelAfterMs !== undefined && { signal: AbortSignal.timeout(cancelAfterMs) }),
    },
  );
  return { key, outcome, settled };
}

/** Counts the resources that a host could leak: open files, including pipes, and child processes. */
async function leftovers(): Promise<{ files: number; children: number }> {
  const files = process.platform === "linux" ? (await readdir("/proc/self/fd")).length : 0;
  return { files, children: childrenOf(process.pid).length };
}

async function journals(folder: string): Promise<string[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // The process had already exited.
  }
}

/** Ignores a connection that fails to open, because a server with random faults may do so. */
function ignoreOpenFailure(): void {}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
