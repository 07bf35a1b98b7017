/** Tests that a server is not started if its sandbox can't be set up. Linux only. */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessSpec } from "@plugboard/mcp/process";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSandboxHost } from "../helpers/sandbox-host.ts";
import { processesWith } from "../helpers/processes-with.ts";
import { makeProcesses, shellSpec } from "../helpers/start-process.ts";

type Sandbox = NonNullable<ProcessSpec["sandbox"]>;

async function writableFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-unavailable-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o777);
  return folder;
}

/** Starts a server that creates a file if it runs, and expects an error, no file and no process. */
async function expectUnavailable(
  sandbox: Partial<Sandbox>,
  reason: RegExp,
  options: Parameters<typeof startSandboxHost>[1] = {},
): Promise<void> {
  const folder = await writableFolder();
  const spec = shellSpec(`echo ran > ${folder}/ran; sleep 60`, {
    cwd: folder,
    sandbox: { read: [], write: [folder], network: false, ...sandbox },
  });
  const host = startSandboxHost(spec, options);
  const error = JSON.parse(await host.line()) as { code: string; reason: string };
  expect(error).toMatchObject({ code: "SANDBOX_UNAVAILABLE", reason: expect.stringMatching(reason) });
  expect(existsSync(join(folder, "ran"))).toBe(false);
  await host.stop();
  expect(processesWith(folder)).toEqual([]);
}

/** A PATH with these programs only. */
async function pathWith(...programs: string[]): Promise<NodeJS.ProcessEnv> {
  const folder = await writableFolder();
  for (const program of programs) await symlink(`/usr/bin/${program}`, join(folder, program));
  return { PATH: folder };
}

describe.runIf(process.platform === "linux")("A server with a sandbox is not started", () => {
  it("without bubblewrap", async () => {
    await expectUnavailable({}, /bwrap.* was not found in PATH; install the package bubblewrap/, {
      env: await pathWith("slirp4netns"),
    });
  });

  it("with a network and without slirp4netns", async () => {
    await expectUnavailable({ network: true }, /slirp4netns.* was not found/, {
      env: await pathWith("bwrap", "nsenter"),
    });
  });

  it("with a list of hosts and without nsenter", async () => {
    await expectUnavailable({ network: ["example.com"] }, /nsenter.* was not found/, { env: await pathWith("bwrap") });
  });

  it("if the user may not create namespaces", async () => {
    await expectUnavailable({}, /user namespaces are switched off.*user\.max_user_namespaces/, {
      withoutNamespaces: true,
    });
    await expectUnavailable({ network: true }, /user namespaces are switched off/, { withoutNamespaces: true });
  });

  it.runIf(process.getuid?.() === 0)("if its user may not open the tun device", async () => {
    await expectUnavailable(
      { network: true },
      /slirp4netns can't connect its network \(open\("\/dev\/net\/tun"\): Permission denied/,
      {
        ordinaryUser: { tunMode: "600" },
      },
    );
  });

  it("if a folder of `write` does not exist", async () => {
    await expectUnavailable(
      { write: ["/nowhere/at-all"] },
      /its `write` names \/nowhere\/at-all, which does not exist/,
    );
  });

  it("if a link that it could have created itself would show it another folder", async () => {
    const folder = await writableFolder();
    await mkdir(join(folder, "secrets"));
    await mkdir(join(folder, "own"));
    await symlink(join(folder, "secrets"), join(folder, "own", "data"));
    const spec = shellSpec("exit", {
      cwd: folder,
      sandbox: { read: [join(folder, "own/data")], write: [join(folder, "own")], network: false },
    });
    await expect(makeProcesses().start(spec)).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      details: { reason: expect.stringContaining("own/data is a link in a folder that it may write") },
    });
    expect(await readdir(join(folder, "secrets"))).toEqual([]);
  });
});

it.runIf(process.platform === "linux")(
  "A sandboxed server whose command does not exist fails like any other",
  async () => {
    const spec = { ...shellSpec(""), command: "/no/such/command", sandbox: { read: [], write: [], network: false } };
    await expect(makeProcesses().start(spec)).rejects.toMatchObject({ code: "SERVER_SPAWN_FAILED" });
  },
);
