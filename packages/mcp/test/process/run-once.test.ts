/** Tests `runOnce`, which runs a program and returns its output. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@plugboard/contracts";
import { runOnce } from "@plugboard/mcp/process";
import type { RunSpec } from "@plugboard/mcp/process";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-once-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("runOnce", () => {
  it("returns all output on stdout, and nothing from stderr", async () => {
    expect(await sh("echo hidden >&2; printf 'a\\nb\\n'")).toEqual({ stdout: "a\nb\n" });
  });

  it("runs the program without a shell", async () => {
    expect(await run({ command: "/bin/echo", args: ["$HOME; id", "*"] })).toEqual({ stdout: "$HOME; id *\n" });
  });

  it("runs the program in the given folder", async () => {
    expect(await sh("pwd -P")).toMatchObject({ stdout: expect.stringContaining("plugboard-once-") });
  });

  it("passes the input to the program on stdin, not as an argument", async () => {
    expect(await run({ command: "/bin/cat", input: "s3cret" })).toEqual({ stdout: "s3cret" });
  });

  it("returns the output of a program that does not read its stdin", async () => {
    expect(await run({ command: "/bin/echo", args: ["done"], input: "x".repeat(1_000_000) })).toEqual({
      stdout: "done\n",
    });
  });

  it("ends a child process that keeps the pipe open, without waiting for it", async () => {
    expect(await sh("sleep 60 & echo $! >pid; echo done")).toEqual({ stdout: "done\n" });
    await waitUntilDead(Number(await readFile(join(cwd, "pid"), "utf8")), 5000);
  });
});

it(
  "runOnce gives the program the environment of a server and the given variables",
  { meta: { covers: ["A11"] } },
  async () => {
    vi.stubEnv("CANARY", "s3cret");
    const result = await run({ command: "/usr/bin/env", args: [], env: { GIVEN: "yes" } });
    expect(result).toMatchObject({ stdout: expect.stringMatching(/^GIVEN=yes$/m) });
    expect(JSON.stringify(result)).not.toContain("CANARY");
  },
);

describe("runOnce, without showing the output or input of the program,", () => {
  it("reports an exit with an error or a signal", async () => {
    expect(await sh("echo s3cret; exit 3")).toEqual({ failed: "it ended with exit code 3" });
    expect(await sh("kill -KILL $$")).toEqual({ failed: "it ended with SIGKILL" });
  });

  it("reports a program that does not exist", async () => {
    const result = await run({ command: "plugboard-none", args: ["s3cret"] });
    expect(result).toEqual({ failed: expect.stringContaining('the command "plugboard-none" was not found') });
    expect(JSON.stringify(result)).not.toContain("s3cret");
  });

  it("reports a working folder that does not exist", async () => {
    expect(await run({ command: "/bin/echo", cwd: join(cwd, "none") })).toEqual({
      failed: expect.stringContaining("its working folder"),
    });
  });

  it("reports a program that writes too much, and kills it", async () => {
    expect(await sh("echo $$ >pid; yes s3cret")).toEqual({ failed: "it wrote more than 65536 bytes" });
    await waitUntilDead(Number(await readFile(join(cwd, "pid"), "utf8")), 5000);
  });

  it("reports a program that does not exit in time, and kills it with its children", async () => {
    const clock = new ManualClock();
    const result = runOnce(spec({ args: ["-c", "sleep 60 & echo $! >pid.new; mv pid.new pid; wait"] }), clock);
    const pid = await vi.waitFor(async () => Number(await readFile(join(cwd, "pid"), "utf8")), { timeout: 10_000 });
    clock.advance(10_000);
    expect(await result).toEqual({ failed: "it did not end in 10000 ms" });
    await waitUntilDead(pid, 5000);
  });
});

it("runOnce leaves no listener behind", async () => {
  const before = process.listenerCount("exit");
  await Promise.all([sh("true"), sh("exit 1")]);
  expect(process.listenerCount("exit")).toBe(before);
});

function sh(line: string) {
  return run({ args: ["-c", line] });
}

function run(overrides: Partial<RunSpec>) {
  return runOnce(spec(overrides), systemClock);
}

function spec(overrides: Partial<RunSpec>): RunSpec {
  return { command: "/bin/sh", args: [], cwd, ...overrides };
}
