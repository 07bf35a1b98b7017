/** Tests the start and stop of real server processes. */
import { execFile } from "node:child_process";
import { inspect, promisify } from "node:util";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { call, connect, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

async function grandchildOf(stderr: () => string): Promise<number> {
  const find = () => {
    const pid = Number(/grandchild (\d+)/.exec(stderr())?.[1]);
    expect(pid).toBeGreaterThan(0);
    return pid;
  };
  return vi.waitFor(find, { timeout: 15_000 });
}

describe("Stopping a connection to a stdio server", () => {
  it(
    "ends the whole process group, including grandchildren",
    { meta: { covers: ["F13", "R0.56", "R1.48", "R1.61", "R3.11"] } },
    async () => {
      const { connection } = await connect(scriptedLegacy("--grandchild"));
      const grandchild = await grandchildOf(() => connection.stderrTail);
      const { pid } = connection;
      expect(isAlive(grandchild)).toBe(true);
      await connection.stop();
      expect(isAlive(pid!)).toBe(false);
      await waitUntilDead(grandchild, 15_000);
      expect(connection.state.phase).toBe("idle");
    },
  );

  it("kills a server that ignores SIGTERM and the end of stdin", { meta: { covers: ["F14"] } }, async () => {
    const { connection } = await connect(scriptedLegacy("--ignore-term"));
    const { pid } = connection;
    await connection.stop();
    expect(isAlive(pid!)).toBe(false);
  });

  it("ends a server that is still starting", async () => {
    const { connection } = makeConnection(scriptedLegacy("--never-start", "--grandchild"));
    const ready = connection.ready();
    const grandchild = await grandchildOf(() => connection.stderrTail);
    const closed = expect(ready).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await connection.stop();
    await closed;
    await waitUntilDead(grandchild, 15_000);
  });

  it(
    "ends the remaining processes of a crashed server, even if a grandchild keeps its stdout open",
    { meta: { covers: ["F12"] } },
    async () => {
      const { connection, session } = await connect(scriptedLegacy("--grandchild"));
      const grandchild = await grandchildOf(() => connection.stderrTail);
      expect(await call(session, "crash")).toMatchObject({ type: "failed", error: { code: "SERVER_CRASHED" } });
      await waitUntilDead(grandchild, 10_000);
    },
  );

  it("ends a server with its children if it did not start in time", async () => {
    const clock = new ManualClock();
    const { connection } = makeConnection(scriptedLegacy("--never-start", "--grandchild"), {
      startupTimeoutMs: 4000,
      overrides: { clock },
    });
    const failed = expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_NOT_RESPONDING" });
    const grandchild = await grandchildOf(() => connection.stderrTail);
    clock.advance(4000);
    await failed;
    await waitUntilDead(grandchild, 15_000);
  });
});

it("Processes.start does not show the arguments and variables of a server that can't be started", async () => {
  for (const secret of [
    { args: ["s3cret\0"] },
    { env: { TOKEN: "s3cret\0" } },
    { args: ["s3cret"], command: "none" },
  ]) {
    const {
      command = process.execPath,
      args = [],
      env = {},
    } = secret as Partial<{ [K in "command"]: string }> & {
      args?: string[];
      env?: { TOKEN: string };
    };
    const { connection } = makeConnection({ command, args }, { env });
    const error: unknown = await connection.ready().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SERVER_SPAWN_FAILED" });
    expect(inspect(error, { depth: 9 })).not.toContain("s3cret");
  }
});

it(
  "Processes kills its servers when the host exits without stopping them",
  { meta: { covers: ["R0.11"] } },
  async () => {
    // The server ignores SIGTERM, so the guard would need three seconds.
    const host = `
    import { systemClock } from "@plugboard/contracts";
        import { Processes } from "@plugboard/mcp/process";
    const { pid } = await new Processes(systemClock).start({
      server: "s", command: "/bin/sh", args: ["-c", "trap '' TERM; while :; do sleep 1; done"], cwd: ".", env: {},
    });
    console.log(pid);
    process.exit(0);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", host]);
    await waitUntilDead(Number(stdout), 2000);
  },
);

it("Processes listens for the exit of the host only while a server runs", async () => {
  const before = process.listenerCount("exit");
  const { connection } = await connect(scriptedLegacy());
  expect(process.listenerCount("exit")).toBe(before + 1);
  await connection.stop();
  await vi.waitFor(() => expect(process.listenerCount("exit")).toBe(before));
});

it("A server gets no variable that its definition does not name", { meta: { covers: ["A11", "R0.9"] } }, async () => {
  vi.stubEnv("CANARY_SECRET", "s3cret");
  const { session } = await connect(scriptedLegacy(), { env: { GIVEN: "yes" } });
  const names = JSON.parse(expectText(await call(session, "env"))) as string[];
  expect(names).toContain("GIVEN");
  expect(names).toContain("PATH");
  expect(names).not.toContain("CANARY_SECRET");
});
