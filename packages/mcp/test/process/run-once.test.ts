/** A program that is run for what it writes: bounded, without a shell, and nothing of it is left. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@plugboard/mcp";
import { runOnce } from "@plugboard/mcp/process";
import type { RunSpec } from "@plugboard/mcp/process";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../helpers/manual-clock.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-once-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("what it writes is had", () => {
  it("whole, whatever it says on stderr", async () => {
    expect(await sh("echo hidden >&2; printf 'a\\nb\\n'")).toEqual({ stdout: "a\nb\n" });
  });

  it("without a shell between", async () => {
    expect(await run({ command: "/bin/echo", args: ["$HOME; id", "*"] })).toEqual({ stdout: "$HOME; id *\n" });
  });

  it("from the folder it is told", async () => {
    expect(await sh("pwd -P")).toMatchObject({ stdout: expect.stringContaining("plugboard-once-") });
  });

  it("after it has read what it is given, which is not among its arguments", async () => {
    expect(await run({ command: "/bin/cat", input: "s3cret" })).toEqual({ stdout: "s3cret" });
  });

  it("although it does not read what it is given", async () => {
    expect(await run({ command: "/bin/echo", args: ["done"], input: "x".repeat(1_000_000) })).toEqual({
      stdout: "done\n",
    });
  });

  it("although it leaves somebody behind who holds its pipe; that one is ended", async () => {
    expect(await sh("sleep 60 & echo $! >pid; echo done")).toEqual({ stdout: "done\n" });
    await waitUntilDead(Number(await readFile(join(cwd, "pid"), "utf8")), 5000);
  });
});

it("it sees of our environment what servers see, and what it is given", { meta: { covers: ["A11"] } }, async () => {
  vi.stubEnv("CANARY", "s3cret");
  const result = await run({ command: "/usr/bin/env", args: [], env: { GIVEN: "yes" } });
  expect(result).toMatchObject({ stdout: expect.stringMatching(/^GIVEN=yes$/m) });
  expect(JSON.stringify(result)).not.toContain("CANARY");
});

describe("why it failed is told, without what it wrote or was given:", () => {
  it("its exit", async () => {
    expect(await sh("echo s3cret; exit 3")).toEqual({ failed: "it ended with exit code 3" });
    expect(await sh("kill -KILL $$")).toEqual({ failed: "it ended with SIGKILL" });
  });

  it("that there is no such program", async () => {
    const result = await run({ command: "plugboard-none", args: ["s3cret"] });
    expect(result).toEqual({ failed: expect.stringContaining('the command "plugboard-none" was not found') });
    expect(JSON.stringify(result)).not.toContain("s3cret");
  });

  it("that there is no such folder", async () => {
    expect(await run({ command: "/bin/echo", cwd: join(cwd, "none") })).toEqual({
      failed: expect.stringContaining("its working folder"),
    });
  });

  it("that it writes without end; it is ended", async () => {
    expect(await sh("echo $$ >pid; yes s3cret")).toEqual({ failed: "it wrote more than 65536 bytes" });
    await waitUntilDead(Number(await readFile(join(cwd, "pid"), "utf8")), 5000);
  });

  it("that it does not end; it is ended with all that it has started", async () => {
    const clock = new ManualClock();
    const result = runOnce(spec({ args: ["-c", "sleep 60 & echo $! >pid.new; mv pid.new pid; wait"] }), clock);
    const pid = await vi.waitFor(async () => Number(await readFile(join(cwd, "pid"), "utf8")), { timeout: 10_000 });
    clock.advance(10_000);
    expect(await result).toEqual({ failed: "it did not end in 10000 ms" });
    await waitUntilDead(pid, 5000);
  });
});

it("leaves no listener behind", async () => {
  const before = process.listenerCount("exit");
  await Promise.all([sh("true"), sh("exit 1")]);
  expect(process.listenerCount("exit")).toBe(before);
});

function sh(line: string) {
  return run({ args: ["-c", line] });
}

function run(given: Partial<RunSpec>) {
  return runOnce(spec(given), systemClock);
}

function spec(given: Partial<RunSpec>): RunSpec {
  return { command: "/bin/sh", args: [], cwd, ...given };
}
