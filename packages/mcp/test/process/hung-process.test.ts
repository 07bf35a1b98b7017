/** Tests how a connection detects real processes that hang, with a manual clock. Busy processes are not hung. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { modernStdio } from "@plugboard/testkit/start-server";
import type { Op } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import { ann, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

const INTERVAL_MS = 30_000;
const TIMEOUT_MS = 10_000;
const AGAIN_MS = 1000;

const ctx = { caller: ann, timeoutMs: 3_600_000, maxMs: 3_600_000, elicitation: false };
const busy: Op = { method: "tools/call", params: { name: "busy", arguments: {} } };

async function connected(command: { readonly command: string; readonly args: readonly string[] }, started: string) {
  const clock = new ManualClock();
  const { connection } = makeConnection(command, { overrides: { clock, random: () => 0 } });
  await connection.ready();
  const pid = connection.pid!;
  const signal = (name: NodeJS.Signals) => process.kill(pid, name);
  onTestFinished(() => {
    if (connection.pid === pid) signal("SIGKILL");
  });
  expect(connection.catalog.tools.map(({ name }) => name)).toContain(started);
  return {
    connection,
    pid,
    signal,
    async pass(ms: number) {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** Resolves when all earlier requests are answered, because the server answers in order. */
    answered: () => connection.session!.ping(AbortSignal.timeout(15_000), true),
  };
}

describe("A server process suspended by a signal", () => {
  it.each([
    ["legacy", () => journalingServer()],
    ["modern", modernStdio],
  ])(
    "loses its tools after two failed health checks, is killed and restarts as a new process (%s server)",
    { meta: { covers: ["R3.52", "R4.25"] } },
    async (_, command) => {
      const { connection, pid, signal, pass } = await connected(command(), "echo");
      signal("SIGSTOP");
      await pass(INTERVAL_MS);
      await pass(TIMEOUT_MS);
      expect(connection.state.phase).toBe("ready");
      await pass(AGAIN_MS);
      await pass(TIMEOUT_MS);
      expect(connection.state).toMatchObject({ phase: "waiting", error: { code: "CONNECTION_LOST" } });
      expect(connection.catalog.tools).toEqual([]);
      await waitUntilDead(pid, 15_000);
      await pass(1000);
      await connection.ready();
      expect(connection.pid).not.toBe(pid);
      expect(connection.catalog.tools.map(({ name }) => name)).toContain("echo");
      expect(connection.state.restarts).toBe(1);
    },
  );

  it.each([
    ["legacy", () => journalingServer()],
    ["modern", modernStdio],
  ])("is detected only after its cancelled call would have timed out (%s server)", async (_, command) => {
    const { connection, pid, signal, pass } = await connected(command(), "echo");
    signal("SIGSTOP");
    const cancellation = new AbortController();
    const call = connection.request(busy, { ...ctx, timeoutMs: 5 * INTERVAL_MS, signal: cancellation.signal });
    await pass(0);
    cancellation.abort();
    expect(await call).toMatchObject({ type: "failed", error: { code: "CANCELLED" } });
    for (let round = 1; round < 5; round++) await pass(INTERVAL_MS);
    expect(connection).toMatchObject({ pid, state: { phase: "ready" } });
    await pass(INTERVAL_MS);
    await pass(TIMEOUT_MS);
    await pass(AGAIN_MS);
    await pass(TIMEOUT_MS);
    expect(connection.state).toMatchObject({ phase: "waiting", error: { code: "CONNECTION_LOST" } });
    await waitUntilDead(pid, 15_000);
  });

  it("keeps its tools and its process if it resumes before the second health check", async () => {
    const { connection, pid, signal, pass, answered } = await connected(journalingServer(), "echo");
    signal("SIGSTOP");
    await pass(INTERVAL_MS);
    await pass(TIMEOUT_MS);
    signal("SIGCONT");
    await pass(AGAIN_MS);
    await answered();
    await pass(TIMEOUT_MS);
    expect(connection).toMatchObject({ pid, state: { phase: "ready", restarts: 0 } });
  });
});

describe("A busy server process", () => {
  /** A server that handles nothing else during a call of `busy`, until `finish` is called. */
  function busyServer() {
    const folder = mkdtempSync(join(tmpdir(), "plugboard-busy-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const done = join(folder, "done");
    const server = journalingServer({
      handle: `if (params.name === "busy") while (!existsSync(${JSON.stringify(done)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`,
    });
    return { server, finish: () => writeFileSync(done, "") };
  }

  it("is not pinged while it handles a call", async () => {
    const { server, finish } = busyServer();
    const { connection, pid, pass } = await connected(server, "echo");
    const call = connection.request(busy, ctx);
    for (let minute = 0; minute < 10; minute++) await pass(60_000);
    finish();
    expect(expectText(await call)).toBe(String(pid));
    expect(connection).toMatchObject({ pid, state: { phase: "ready", restarts: 0 } });
    expect(server.journal()).not.toContain("ping");
  });

  it("is not pinged while it still handles a cancelled call, but after its late response", async () => {
    const { server, finish } = busyServer();
    const { connection, pid, pass, answered } = await connected(server, "echo");
    const cancellation = new AbortController();
    const call = connection.request(busy, { ...ctx, signal: cancellation.signal });
    await pass(INTERVAL_MS);
    cancellation.abort();
    expect(await call).toMatchObject({ type: "failed", error: { code: "CANCELLED" } });
    for (let minute = 0; minute < 10; minute++) await pass(60_000);
    expect(connection).toMatchObject({ pid, state: { phase: "ready", restarts: 0 } });
    finish();
    await answered();
    expect(server.journal()).not.toContain("ping");
    await pass(INTERVAL_MS);
    await answered();
    expect(server.journal()).toContain("ping");
  });

  it("is not killed for an unanswered ping if it passes the second health check", async () => {
    const server = journalingServer({ handle: `return method === "ping";` });
    const { connection, pid, pass, answered } = await connected(server, "echo");
    for (let round = 1; round <= 3; round++) {
      await pass(INTERVAL_MS);
      await pass(TIMEOUT_MS);
      await pass(AGAIN_MS);
      await answered();
      await pass(0);
    }
    expect(server.journal().filter((method) => method === "ping")).toHaveLength(3);
    expect(connection).toMatchObject({ pid, state: { phase: "ready", restarts: 0 } });
  });
});
