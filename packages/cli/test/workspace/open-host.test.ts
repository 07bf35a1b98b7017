/** Tests how a command finds the running host. A command uses only a socket of its own user. */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { connectToRunningHost, openHost } from "#workspace/open-host.js";
import { socketPath } from "@plugboard/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInShell, runPiped, setUp } from "../helpers/run-plugboard.ts";

const UNATTENDED = { attended: false };

/** Starts a listener at the host's socket that counts its connections and closes each. */
async function startFakeHost() {
  const setup = await setUp({ mcp: { servers: {} } });
  const path = socketPath(setup.env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { setup, path, folder: dirname(path), server, connections: () => connections };
}

describe("the socket of another user", { meta: { covers: ["A19"] } }, () => {
  const isRoot = process.getuid?.() === 0;

  it.runIf(isRoot)("is rejected before anything is sent", async () => {
    const { setup, path, connections } = await startFakeHost();
    await chown(path, 12_345, 12_345);
    await expect(connectToRunningHost(setup.env, UNATTENDED)).rejects.toMatchObject({
      code: "STATE_UNSAFE",
      details: { path },
    });
    const ran = await runPiped(setup, "status");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
    expect(ran.stderr).toMatch(/^STATE_UNSAFE: .*belongs to another user \(12345\)/);
    expect(connections()).toBe(0);
  });

  it.runIf(isRoot)("is rejected if only the folder belongs to another user", async () => {
    const { setup, folder, connections } = await startFakeHost();
    await chown(folder, 12_345, 12_345);
    await expect(connectToRunningHost(setup.env, UNATTENDED)).rejects.toMatchObject({
      code: "STATE_UNSAFE",
      details: { path: folder },
    });
    expect(connections()).toBe(0);
  });

  it("can't be created in the state folder after a command has made the folder private", async () => {
    const { setup, folder, server } = await startFakeHost();
    server.close();
    await rm(socketPath(setup.env), { force: true });
    await chmod(folder, 0o777);
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});

describe("openHost and connectToRunningHost", { meta: { covers: ["F48"] } }, () => {
  it("throw if a host listens but does not answer, and start no private host", async () => {
    const { setup } = await startFakeHost();
    await expect(connectToRunningHost(setup.env, UNATTENDED)).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });

  it("find no host if the socket or its folder is missing, nothing listens on the socket, or a file or folder has its path", async () => {
    const setup = await setUp();
    const path = socketPath(setup.env);
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
    await writeFile(path, "");
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
    await rm(path);
    await mkdir(path);
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
    await rm(path, { recursive: true });
    await leaveDeadSocket(setup, path);
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
  });

  it("find no host if the host ends while the command connects", async () => {
    const { setup, path, server } = await startFakeHost();
    server.prependListener("connection", () => rmSync(path));
    expect(await connectToRunningHost(setup.env, UNATTENDED)).toBeUndefined();
  });

  it("open a private host if the running host ends before it has opened the workspace", async () => {
    const { setup, path, server } = await startFakeHost();
    server.prependListener("connection", () => rmSync(path));
    const opened = await openHost(setup.env, { cwd: setup.cwd }, { ...UNATTENDED, usePrivate: false });
    onTestFinished(() => opened.close());
    const { workspace } = await opened.workspace();
    expect(await workspace.status()).toEqual([]);
    expect(opened.running).toBeUndefined();
  });

  /** Leaves a socket behind, as a killed process does. */
  async function leaveDeadSocket(setup: Parameters<typeof runInShell>[0], path: string): Promise<void> {
    const listen = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    await runInShell(setup, `"${process.execPath}" -e '${listen}' "${path}"`);
  }
});

describe("a command in a deleted folder", { meta: { covers: ["F48"] } }, () => {
  it("fails with a clear error if it needs the folder, and works otherwise", async () => {
    const setup = await setUp();
    const gone = join(setup.cwd, "gone");
    await mkdir(gone);
    const ran = await runInShell(setup, `cd "${gone}" && rmdir "${gone}" && plugboard token && plugboard list`);
    expect(ran.status).toBe(2);
    expect(ran.stdout).toMatch(/^plugboard_\S+\n$/);
    expect(ran.stderr).toMatch(/^USAGE: The current folder has been deleted\. Change to another folder\.\n$/);
  });
});

describe("a socket path that is too long", { meta: { covers: ["F48"] } }, () => {
  it("fails only the commands that need the running host", async () => {
    const { cwd, env } = await setUp({ mcp: { servers: {} } });
    const setup = { cwd, env: { ...env, XDG_STATE_HOME: join(cwd, "x".repeat(120)) } };
    expect(await runPiped(setup, "list")).toMatchObject({ status: 0 });
    const bridge = await runPiped(setup, "stdio");
    expect(bridge).toMatchObject({ status: 3, stderr: expect.stringMatching(/^SOCKET_UNUSABLE: /) as string });
  });
});
