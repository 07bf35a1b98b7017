/** Tests a connection to real processes that exit, hang or never start. */
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { CallContext, Connection, Outcome } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann, connect, expectFailure, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

/** The default limits, with times that are a hundred times shorter. */
const FAST = { firstRetryMs: 10, maxRetryMs: 300 };

const ctx: CallContext = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: false };

function callTool(connection: Connection, name: string, more: Partial<CallContext> = {}): Promise<Outcome> {
  return connection.request({ method: "tools/call", params: { name, arguments: {} } }, { ...ctx, ...more });
}

function until(connection: Connection, phase: string): Promise<void> {
  return vi.waitFor(() => expect(connection.state.phase).toBe(phase), { timeout: 15_000, interval: 5 });
}

describe("Connection to a process", () => {
  describe("server that crashes during a call", () => {
    it(
      "is restarted automatically, and the call is not repeated",
      { meta: { covers: ["F1", "R0.74", "R2.29", "R3.87"] } },
      async () => {
        const server = journalingServer();
        const { connection } = makeConnection(server, { limits: FAST });
        const pid = Number(expectText(await callTool(connection, "echo")));
        const crashed = expectFailure(await callTool(connection, "crash"));
        expect(crashed).toMatchObject({ code: "SERVER_CRASHED", details: { exit: "exit code 3" } });
        expect(connection.state).toMatchObject({ phase: "waiting", error: crashed });
        expect(connection.catalog.tools).toEqual([]);
        await until(connection, "ready");
        expect(connection.state.restarts).toBe(1);
        expect(connection.catalog.tools).toHaveLength(2);
        const next = Number(expectText(await callTool(connection, "echo")));
        expect(next).toBe(connection.pid);
        expect(next).not.toBe(pid);
        const diary = server.journal();
        expect(diary.filter((line) => line === "tools/call crash")).toHaveLength(1);
        expect(diary.filter((line) => line.startsWith("start"))).toEqual([`start ${pid}`, `start ${next}`]);
      },
    );

    it("fails every call in flight at once", { meta: { covers: ["F1", "R3.19"] } }, async () => {
      const { connection, waitForStderr } = await connect(scriptedLegacy(), { limits: FAST });
      const hours = { timeoutMs: 3_600_000, maxMs: 36_000_000 };
      const held = [1, 2, 3].map(() => callTool(connection, "hold", hours));
      await waitForStderr("holding 6");
      const crashed = await callTool(connection, "crash", hours);
      for (const outcome of [crashed, ...(await Promise.all(held))]) {
        const details = { exit: "exit code 3", stderr: expect.stringContaining("boom") as string };
        expect(expectFailure(outcome)).toMatchObject({ code: "SERVER_CRASHED", details });
      }
    });

    it("makes a new call wait for the new process", async () => {
      const { connection } = makeConnection(journalingServer(), { limits: { firstRetryMs: 500 } });
      await connection.ready();
      await callTool(connection, "crash");
      const waiting = callTool(connection, "echo");
      const impatient = callTool(connection, "echo", { signal: AbortSignal.timeout(20) });
      expect(expectFailure(await impatient).code).toBe("CANCELLED");
      expect(expectText(await waiting)).toBe(String(connection.pid));
    });
  });

  describe("server that crashes again and again", () => {
    it("is always restarted if it has answered a call before each crash", { meta: { covers: ["F56"] } }, async () => {
      const { connection } = makeConnection(journalingServer(), { limits: { ...FAST, maxCrashes: 2 } });
      for (let crashes = 0; crashes < 6; crashes++) {
        expect(expectText(await callTool(connection, "echo"))).toBe(String(connection.pid));
        expect(expectFailure(await callTool(connection, "crash")).code).toBe("SERVER_CRASHED");
      }
      expect(connection.state).toMatchObject({ phase: "waiting", failures: 1 });
    });

    it(
      "is not restarted forever if it has answered only requests for lists",
      { meta: { covers: ["F56"] } },
      async () => {
        const server = journalingServer({
          capabilities: { tools: {}, resources: {} },
          handle: 'if (method === "resources/list") return !say({ id, result: { resources: [] } });',
        });
        const { connection } = makeConnection(server, { limits: { ...FAST, maxCrashes: 2 } });
        for (let crashes = 0; crashes < 2; crashes++) {
          await connection.resources();
          expect(expectFailure(await callTool(connection, "crash")).code).toBe("SERVER_CRASHED");
        }
        expect(connection.state).toMatchObject({ phase: "error", failures: 2 });
      },
    );
  });

  describe("server that exits at start", () => {
    it(
      "is started five times with growing pauses, then fails until a manual retry",
      { meta: { covers: ["F2", "R0.75", "R3.71"] } },
      async () => {
        const server = journalingServer();
        server.break();
        const pauses: number[] = [];
        const { connection } = makeConnection(server, {
          limits: FAST,
          overrides: {
            random: () => 0,
            onChanged: () => {
              const { state } = connection;
              if (state.phase === "waiting") pauses.push(state.retryAt - state.failedAt.at(-1)!);
            },
          },
        });
        await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_CRASHED" });
        await until(connection, "error");
        expect(connection.state).toMatchObject({
          error: { code: "SERVER_CRASHED", details: { exit: "exit code 4", stderr: "broken" } },
          failures: 5,
        });
        expect(pauses).toEqual([10, 20, 40, 80]);
        const starts = () => server.journal().filter((line) => line.startsWith("start"));
        const tried = starts().length;
        expect(expectFailure(await callTool(connection, "echo"))).toMatchObject({ code: "SERVER_CRASHED" });
        expect(starts()).toHaveLength(tried);
        server.repair();
        await connection.retry();
        expect(connection.state).toMatchObject({ phase: "ready", failures: 0 });
        expect(expectText(await callTool(connection, "echo"))).toBe(String(connection.pid));
      },
    );

    it("is started again for a call a minute after the last crash", { meta: { covers: ["F56"] } }, async () => {
      const server = journalingServer();
      server.break();
      const clock = new ManualClock();
      const { connection } = makeConnection(server, { limits: { maxCrashes: 1 }, overrides: { clock } });
      expect(expectFailure(await callTool(connection, "echo")).code).toBe("SERVER_CRASHED");
      expect(connection.state.phase).toBe("error");
      server.repair();
      clock.advance(59_999);
      expect(expectFailure(await callTool(connection, "echo")).code).toBe("SERVER_CRASHED");
      clock.advance(1);
      expect(expectText(await callTool(connection, "echo"))).toBe(String(connection.pid));
    });

    it(
      "is reconnected automatically if it works again before the last attempt",
      { meta: { covers: ["R3.59"] } },
      async () => {
        const server = journalingServer();
        server.break();
        const { connection } = makeConnection(server, { limits: { ...FAST, maxCrashes: 100 } });
        await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_CRASHED" });
        server.repair();
        await until(connection, "ready");
        expect(expectText(await callTool(connection, "echo"))).toBe(String(connection.pid));
      },
    );
  });

  describe("server that hangs at start", () => {
    it(
      "is stopped with all its processes after the start-up timeout, while another server works",
      { meta: { covers: ["F3", "R0.59", "R0.70", "R2.122", "R3.72"] } },
      async () => {
        const clock = new ManualClock();
        const hanging = makeConnection(scriptedLegacy("--never-start", "--grandchild"), {
          startupTimeoutMs: 1500,
          limits: FAST,
          overrides: { clock },
        });
        const { connection: other } = makeConnection(journalingServer());
        const ready = hanging.connection.ready();
        const failed = expect(ready).rejects.toMatchObject({
          code: "SERVER_NOT_RESPONDING",
          details: { afterMs: 1500, stderr: expect.stringContaining("grandchild") as string },
        });
        const find = () => {
          const pid = Number(/grandchild (\d+)/.exec(hanging.connection.stderrTail)?.[1]);
          expect(isAlive(pid)).toBe(true);
          return pid;
        };
        const grandchild = await vi.waitFor(find, { timeout: 15_000 });
        // Another server answers while this one hangs and is stopped.
        const pid = expectText(await callTool(other, "echo"));
        clock.advance(1499);
        expect(hanging.connection.state.phase).toBe("connecting");
        clock.advance(1);
        expect(expectText(await callTool(other, "echo"))).toBe(pid);
        await failed;
        await waitUntilDead(grandchild, 15_000);
        expect(hanging.connection.state.phase).toBe("waiting");
        clock.advance(FAST.maxRetryMs);
        expect(hanging.connection.state.phase).toBe("connecting");
      },
    );
  });

  it("stays closed if it is stopped between two attempts", async () => {
    const server = journalingServer();
    const { connection } = makeConnection(server, { limits: { firstRetryMs: 50 } });
    await connection.ready();
    await callTool(connection, "crash");
    const waiting = connection.request({ method: "tools/list", params: {} }, ctx);
    await connection.stop();
    expect(expectFailure(await waiting).code).toBe("CONNECTION_CLOSED");
    expect(expectFailure(await callTool(connection, "echo")).code).toBe("CONNECTION_CLOSED");
    expect(server.journal().filter((line) => line.startsWith("start"))).toHaveLength(1);
  });
});
