/** Tests the tool `terminal` with real processes. */
import { realpath, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isProcessRunning } from "@plugboard/mcp/process";
import { createHost } from "@plugboard/host";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeTestHome } from "../helpers/embedded-host.ts";
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

describe.runIf(process.platform === "linux")("terminal in a sandbox", () => {
  it("reaches only what the sandbox allows, and the question says what that is", async () => {
    const terminalSandbox = (folder: string) => ({ read: [], write: [folder], network: false });
    const { run, preview, folder, outside } = await makeWorkspaceFiles({ "a.txt": "mine" }, { terminalSandbox });
    const secret = join(outside, "secret.txt");
    expect((await run("terminal", { command: `cat a.txt; echo new >b.txt; cat ${secret}` })).text).toMatch(
      /^mine(?!.*top secret).*No such file.*\[Ended: exit code 1\]$/s,
    );
    expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("new\n");
    expect(await preview("terminal", { command: "ls" })).toBe(
      `In ${folder}, in a sandbox (it may write to ${folder}; may reach no host):\nls`,
    );
  });

  it("does not show the folder of a file that the command names", async () => {
    const terminalSandbox = (folder: string) => ({ read: [], write: [folder], network: false });
    const { run, outside } = await makeWorkspaceFiles({}, { terminalSandbox });
    expect((await run("terminal", { command: join(outside, "secret.txt") })).text).toContain("not found");
  });

  it("does not run if the sandbox can't be built", async () => {
    const unavailable = () => ({ read: [], write: ["/does/not/exist"], network: false });
    const missing = await makeWorkspaceFiles({}, { terminalSandbox: unavailable });
    expect(await missing.run("terminal", { command: "echo ran" })).toEqual({
      text: "The command can't be started: its `write` names /does/not/exist, which does not exist.",
      isError: true,
    });
    const unresolved = () => ({ read: [], write: [], network: false, unresolved: { reason: "it is not a project" } });
    const home = await makeWorkspaceFiles({}, { terminalSandbox: unresolved });
    expect((await home.run("terminal", { command: "echo ran" })).text).toBe(
      "The command can't be started: it is not a project.",
    );
  });

  it("is the one that `terminal_sandbox` of the user's config says, without the config itself", async () => {
    const { root, cwd, env, configFile, writeConfig } = await makeTestHome();
    await writeConfig({ terminal_sandbox: { write: [root], network: false }, permissions: { allow: ["*"] } });
    const host = await createHost({ cwd, env, config: ["user"], nativeTools: true });
    onTestFinished(() => host.close());
    const command = `echo new >made.txt; cat ${configFile}; echo "{}" >${configFile}`;
    const { content } = await host.tools.call("native:terminal", { command });
    expect(JSON.stringify(content)).not.toContain("terminal_sandbox");
    expect(await readFile(configFile, "utf8")).toContain("terminal_sandbox");
    expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("new\n");
  });
});
