/** How a command finds the running host: only its owner's socket is used, and only where nobody listens is there none. */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { attach } from "#open-host.js";
import { socketPath } from "@plugboard/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { inShell, piped, setUp } from "./plugboard.ts";

/** A listener that notes what it is sent and hangs up. */
async function listener() {
  const setup = await setUp({ mcp: { servers: {} } });
  const path = socketPath(setup.env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let heard = 0;
  const server = createServer((socket) => {
    heard++;
    socket.destroy();
  }).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { setup, path, folder: dirname(path), server, heard: () => heard };
}

describe("the socket of another user", { meta: { covers: ["A19"] } }, () => {
  const isRoot = process.getuid?.() === 0;

  it.runIf(isRoot)("is refused before anything is sent", async () => {
    const { setup, path, heard } = await listener();
    await chown(path, 12_345, 12_345);
    await expect(attach(setup.env, false)).rejects.toMatchObject({ code: "STATE_UNSAFE", details: { path } });
    const ran = await piped(setup, "list");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
    expect(ran.stderr).toMatch(/^STATE_UNSAFE: .*belongs to another user \(12345\)/);
    expect(heard()).toBe(0);
  });

  it.runIf(isRoot)("is refused when only the folder is another user's", async () => {
    const { setup, folder, heard } = await listener();
    await chown(folder, 12_345, 12_345);
    await expect(attach(setup.env, false)).rejects.toMatchObject({ code: "STATE_UNSAFE", details: { path: folder } });
    expect(heard()).toBe(0);
  });

  it("can't be put into our own folder once a command has run: the folder is closed to others", async () => {
    const { setup, folder, server } = await listener();
    server.close();
    await rm(socketPath(setup.env), { force: true });
    await chmod(folder, 0o777);
    expect(await attach(setup.env, false)).toBeUndefined();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });
});

describe("a host", { meta: { covers: ["F48"] } }, () => {
  it("that listens and can't be reached is an error, not a reason to start another", async () => {
    const { setup } = await listener();
    await expect(attach(setup.env, false)).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });

  it("that is not there is none: no folder, no socket, a dead socket, a file or a folder in its place", async () => {
    const setup = await setUp();
    const path = socketPath(setup.env);
    expect(await attach(setup.env, false)).toBeUndefined();
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    expect(await attach(setup.env, false)).toBeUndefined();
    await writeFile(path, "");
    expect(await attach(setup.env, false)).toBeUndefined();
    await rm(path);
    await mkdir(path);
    expect(await attach(setup.env, false)).toBeUndefined();
    await rm(path, { recursive: true });
    await leaveDeadSocket(setup, path);
    expect(await attach(setup.env, false)).toBeUndefined();
  });

  it("that ends while a command connects counts as none", async () => {
    const { setup, path, server } = await listener();
    server.prependListener("connection", () => rmSync(path));
    expect(await attach(setup.env, false)).toBeUndefined();
  });

  /** A process that was killed leaves its socket behind. */
  async function leaveDeadSocket(setup: Parameters<typeof inShell>[0], path: string): Promise<void> {
    const listen = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    await inShell(setup, `"${process.execPath}" -e '${listen}' "${path}"`);
  }
});

describe("in a folder that has been deleted", { meta: { covers: ["F48"] } }, () => {
  it("a command says so, and one that needs no folder works", async () => {
    const setup = await setUp();
    const gone = join(setup.cwd, "gone");
    await mkdir(gone);
    const ran = await inShell(setup, `cd "${gone}" && rmdir "${gone}" && plugboard token && plugboard list`);
    expect(ran.status).toBe(2);
    expect(ran.stdout).toMatch(/^plugboard_\S+\n$/);
    expect(ran.stderr).toMatch(/^USAGE: The folder you are in has been deleted\. Change to another one\.\n$/);
  });
});

describe("a path of the socket that is too long", { meta: { covers: ["F48"] } }, () => {
  it("is an error to what needs the running host, and nothing to what does not", async () => {
    const { cwd, env } = await setUp({ mcp: { servers: {} } });
    const setup = { cwd, env: { ...env, XDG_STATE_HOME: join(cwd, "x".repeat(120)) } };
    expect(await piped(setup, "list")).toMatchObject({ status: 0 });
    const bridge = await piped(setup, "stdio");
    expect(bridge).toMatchObject({ status: 3, stderr: expect.stringMatching(/^SOCKET_UNUSABLE: /) as string });
  });
});
