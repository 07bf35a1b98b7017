/** Starting and stopping real processes: what they get to see, and that nothing of them is left. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { call, connect, makeConnection, text } from "./connect.ts";

async function grandchildOf(stderr: () => string): Promise<number> {
  return vi.waitFor(() => {
    const pid = Number(/grandchild (\d+)/.exec(stderr())?.[1]);
    expect(pid).toBeGreaterThan(0);
    return pid;
  });
}

describe("stopping a server", () => {
  it("ends the whole group, grandchildren included", async () => {
    const { connection } = await connect(scriptedLegacy("--grandchild"));
    const grandchild = await grandchildOf(() => connection.stderrTail);
    const { pid } = connection;
    expect(isAlive(grandchild)).toBe(true);
    await connection.stop();
    expect(isAlive(pid!)).toBe(false);
    await waitUntilDead(grandchild, 1000);
    expect(connection.state.phase).toBe("idle");
  });

  it("kills a server that ignores everything polite", async () => {
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
    await waitUntilDead(grandchild, 1000);
  });

  it("ends what a crashed server leaves behind, and notices the crash though a grandchild holds its stdout", async () => {
    const { connection, session } = await connect(scriptedLegacy("--grandchild"));
    const grandchild = await grandchildOf(() => connection.stderrTail);
    expect(await call(session, "crash")).toMatchObject({ type: "failed", error: { code: "SERVER_CRASHED" } });
    await waitUntilDead(grandchild, 10_000);
  });

  it("ends a server that did not start in time, with its tree", async () => {
    const { connection } = makeConnection(scriptedLegacy("--never-start", "--grandchild"), { startupTimeoutMs: 1500 });
    const failed = expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_NOT_RESPONDING" });
    const grandchild = await grandchildOf(() => connection.stderrTail);
    await failed;
    await waitUntilDead(grandchild, 1000);
  });
});

describe("a server that can't be started", () => {
  it.each([
    [
      "the command is not there",
      { command: "no-such-command-here" },
      'the command "no-such-command-here" was not found',
    ],
    ["the file may not be executed", { command: "./plain.txt" }, 'the command "./plain.txt" may not be executed'],
    ["the folder is not there", { cwd: "missing" }, "does not exist"],
    ["the folder is a file", { cwd: "plain.txt" }, "is not a folder"],
  ])("says that %s", async (_, wrong, reason) => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-spawn-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "plain.txt"), "not a program", { mode: 0o644 });
    const { command = process.execPath, cwd = "." } = wrong as { command?: string; cwd?: string };
    const { connection } = makeConnection({ command, args: [] }, { cwd: join(folder, cwd) });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "SERVER_SPAWN_FAILED",
      details: { reason: expect.stringContaining(reason) as string },
    });
  });
});

it("says nothing of the arguments and variables of a server that can't be started", async () => {
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

it("takes its servers along when the host exits without a word", async () => {
  const host = `
    import { Processes, systemClock } from "@plugboard/mcp";
    const { pid } = await new Processes(systemClock).start({
      server: "s", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], cwd: ".", env: {},
    });
    console.log(pid);
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", host]);
  await waitUntilDead(Number(stdout), 2000);
});

it("listens for the exit of the host only while something runs", async () => {
  const before = process.listenerCount("exit");
  const { connection } = await connect(scriptedLegacy());
  expect(process.listenerCount("exit")).toBe(before + 1);
  await connection.stop();
  await vi.waitFor(() => expect(process.listenerCount("exit")).toBe(before));
});

it("shows a server no variable that it was not given", async () => {
  vi.stubEnv("CANARY_SECRET", "s3cret");
  const { session } = await connect(scriptedLegacy(), { env: { GIVEN: "yes" } });
  const names = JSON.parse(text(await call(session, "env"))) as string[];
  expect(names).toContain("GIVEN");
  expect(names).toContain("PATH");
  expect(names).not.toContain("CANARY_SECRET");
});
