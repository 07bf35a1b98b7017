/** Starts a server with a program that takes the place of `sandbox-exec`, because the real one exists only on macOS. */
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { spawnSandboxed } from "#process/spawn-sandboxed.js";
import { startSeatbelt } from "#process/start-seatbelt.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../foreign/temp-folder.ts";
import { fastClock } from "../helpers/fast-clock.ts";
import { shellSpec, waitForStderr } from "../helpers/start-process.ts";

const tempFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("plugboard-sandbox-"));

describe.runIf(process.platform !== "win32")("startSeatbelt", () => {
  it("starts the server with its profile, a temporary folder of its own and the proxy, and removes the folder", async () => {
    const folder = await tempFolder();
    onTestFinished(() => folder.remove());
    const program = folder.in("sandbox-exec");
    await writeFile(
      program,
      `#!/bin/sh\n[ "$1" = -p ] || exit 9\necho "$2" > ${folder.in("profile")}\nshift 2\nexec "$@"\n`,
    );
    await chmod(program, 0o755);
    const before = await tempFolders();
    const sandbox = { read: [], write: [folder.path], network: ["example.com"] };
    const spec = { ...shellSpec("env >&2; echo end >&2; cat", { cwd: folder.path }), sandbox };
    const started = await startSeatbelt(spec, fastClock, () => {}, program);
    await waitForStderr(started, /^end$/m);
    const [, temp = ""] = /^TMPDIR=(.*)$/m.exec(started.stderrTail) ?? [];
    const [, port] = /^HTTPS_PROXY=http:\/\/127\.0\.0\.1:(\d+)$/m.exec(started.stderrTail) ?? [];
    const profile = await readFile(folder.in("profile"), "utf8");
    expect(profile).toContain(`(subpath "${temp}")`);
    expect(profile).toContain(`(remote ip "localhost:${port}")`);
    await started.stop();
    expect(await started.exited).toBe("exit code 0");
    expect(await tempFolders()).toEqual(before);
  });

  it("fails without sandbox-exec, and leaves no folder behind", async () => {
    const before = await tempFolders();
    const spec = { ...shellSpec("true"), sandbox: { read: [], write: [], network: false } };
    await expect(startSeatbelt(spec, fastClock, () => {}, "/no/sandbox-exec")).rejects.toThrow(
      "can't be started (ENOENT)",
    );
    expect(await tempFolders()).toEqual(before);
  });
});

it("spawnSandboxed starts nothing on a system without a sandbox", async () => {
  const spec = { ...shellSpec("true"), sandbox: { read: [], write: [], network: false } };
  await expect(spawnSandboxed(spec, fastClock, () => expect.unreachable(), "win32")).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    details: { reason: "there is no sandbox for this system (win32)" },
  });
});
