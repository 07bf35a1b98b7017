/** Tests `runInteractive` without a terminal. The tests of `plugboard edit` use a pseudo-terminal. */
import { tmpdir } from "node:os";
import { runInteractive } from "#process/run-interactive.js";
import { describe, expect, it } from "vitest";

const options = { cwd: tmpdir(), env: { PATH: process.env["PATH"], ANSWER: "42" } };

describe("runInteractive", () => {
  it("returns the exit code, and passes exactly the given environment", async () => {
    const script = "process.exit(process.env.HOME === undefined ? Number(process.env.ANSWER) : 1)";
    expect(await runInteractive(process.execPath, ["-e", script], options)).toEqual({ exitCode: 42 });
  });

  it("counts a program that a signal ends as failed", async () => {
    const script = "process.kill(process.pid, 'SIGKILL')";
    expect(await runInteractive(process.execPath, ["-e", script], options)).toEqual({ exitCode: 1 });
  });

  it("explains why a program can't be started", async () => {
    expect(await runInteractive("no-such-editor", [], options)).toEqual({
      failed: expect.stringContaining('"no-such-editor" was not found') as string,
    });
  });

  it("ignores Ctrl-C only while the program runs", async () => {
    const before = process.listenerCount("SIGINT");
    const running = runInteractive(process.execPath, ["-e", ""], options);
    expect(process.listenerCount("SIGINT")).toBe(before + 1);
    await running;
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});
