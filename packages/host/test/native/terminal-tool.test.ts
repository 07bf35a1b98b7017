/** Tests the tool `terminal` with real processes. */
import { realpath, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isProcessRunning } from "@plugboard/mcp/process";
import { describe, expect, it, vi } from "vitest";
import { makeWorkspaceFiles } from "../helpers/workspace-files.ts";

describe.runIf(process.platform !== "win32")("terminal", { meta: { covers: ["R4.31"] } }, () => {
  it("returns the output of both streams and the exit status", async () => {
    const { run } = await makeWorkspaceFiles();
    expect(await run("terminal", { command: "echo out; echo err >&2; exit 3" })).toEqual({
      text: expect.stringMatching(/^(out\nerr|err\nout)\n\[Ended: exit code 3\]$/) as string,
      isError: false,
    });
    expect((await run("terminal", { command: "printf x" })).text).toBe("x\n[Ended: exit code 0]");
    expect((await run("terminal", { command: "kill -KILL $$" })).text).toBe("[Ended: SIGKILL]");
  });

  it("runs in the workspace or a folder in it, and reads an empty input", async () => {
    const { run, folder } = await makeWorkspaceFiles({ "sub/a": "" });
    expect((await run("terminal", { command: "pwd; cat" })).text).toContain(`${await realpath(folder)}\n[`);
    expect((await run("terminal", { command: "ls", cwd: "sub" })).text).toBe("a\n[Ended: exit code 0]");
    expect((await run("terminal", { command: "ls", cwd: "sub/a" })).text).toBe('"sub/a" is not a folder.');
    expect((await run("terminal", { command: "ls", cwd: "missing" })).text).toBe('"missing" does not exist.');
  });

  it("gives the command none of the host's secrets", { meta: { covers: ["A11"] } }, async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "canary-key");
    vi.stubEnv("PLUGBOARD_TOKEN", "canary-token");
    const { run } = await makeWorkspaceFiles();
    const { text } = await run("terminal", { command: "env" });
    vi.unstubAllEnvs();
    expect(text).toContain("PATH=");
    expect(text).not.toContain("canary");
  });

  it("keeps the beginning and the end of a long output", async () => {
    const { run } = await makeWorkspaceFiles();
    const { text } = await run("terminal", { command: "echo first; yes | head -c 5000000; echo last" });
    expect(text).toMatch(/^first\n/);
    expect(text).toMatch(/\[… \d+ bytes omitted …\]/);
    expect(text).toMatch(/last\n\[Ended: exit code 0\]$/);
    expect(text.length).toBeLessThan(41_000);
  });

  it("stops the whole group when the time is over", { meta: { covers: ["F13", "F14"] } }, async () => {
    const { run, folder } = await makeWorkspaceFiles();
    const command = "echo begin; trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >child; sleep 60' & wait; sleep 60";
    const { text, isError } = await run("terminal", { command, timeout_ms: 2000 });
    expect(text).toBe("begin\n[Stopped, because it did not end within 2000 ms.]");
    expect(isError).toBe(true);
    await expectEnded(join(folder, "child"));
  });

  it.each(["the call is cancelled", "the workspace is released"])("stops the command when %s", async (reason) => {
    const { run, folder, released } = await makeWorkspaceFiles();
    const cancel = reason === "the call is cancelled" ? new AbortController() : released;
    const running = run(
      "terminal",
      { command: "echo $$ >child; sleep 60" },
      cancel === released ? undefined : cancel.signal,
    );
    await vi.waitUntil(() => readPid(join(folder, "child")), { timeout: 10_000 });
    cancel.abort();
    expect((await running).text).toMatch(/\[Ended: SIGTERM\]/);
    await expectEnded(join(folder, "child"));
  });

  it("stops processes that the command leaves behind, without waiting for them", async () => {
    const { run, folder } = await makeWorkspaceFiles();
    const { text } = await run("terminal", { command: "sleep 60 & echo $! >child; echo done" });
    expect(text).toBe("done\n[Ended: exit code 0]");
    await expectEnded(join(folder, "child"));
  });

  it("shows the folder and the command in its question", async () => {
    const { preview, folder } = await makeWorkspaceFiles();
    expect(await preview("terminal", { command: "rm -rf x" })).toBe(`In ${folder}:\nrm -rf x`);
    await expect(preview("terminal", { command: "x", cwd: ".." })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });
});

async function readPid(file: string): Promise<number | undefined> {
  const pid = Number(await readFile(file, "utf8").catch(() => ""));
  return pid > 0 ? pid : undefined;
}

async function expectEnded(pidFile: string): Promise<void> {
  const pid = await readPid(pidFile);
  expect(pid).toBeGreaterThan(0);
  await vi.waitUntil(() => !isProcessRunning(pid!), { timeout: 10_000 });
}
